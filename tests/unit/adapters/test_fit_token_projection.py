import numpy as np
import pytest

from memory_core.adapters.fastembed_embedder import FastembedEmbedder
from memory_core.adapters.fit_token_projection import fit, sentences
from memory_core.adapters.token_rows import TOKEN_SIZE, load_projection


def test_sentences_are_the_same_each_time(real_embedder: FastembedEmbedder) -> None:
    vocabulary = real_embedder.source.vocabulary
    made = sentences(vocabulary, count=50, seed=4)
    assert made == sentences(vocabulary, count=50, seed=4)
    assert made != sentences(vocabulary, count=50, seed=5)
    assert len(set(made)) == 50
    assert not any("{}" in sentence for sentence in made)


def test_a_fit_finds_most_of_the_space_that_the_stored_one_keeps(real_embedder: FastembedEmbedder) -> None:
    model = real_embedder.source
    fitted = fit(model, sentences(model.vocabulary, count=200, seed=9))
    assert fitted.T @ fitted == pytest.approx(np.eye(TOKEN_SIZE), abs=1e-4)
    shared = np.linalg.norm(fitted.T @ load_projection()) ** 2 / TOKEN_SIZE
    by_chance = TOKEN_SIZE / 384
    assert shared > 2 * by_chance
