"""The offline pass over what was lived: tags, edges, conflicts, decay, merges."""
