# The hot path: HTTP service and index process (embedder). Not built on the machines this project is developed on, which
# have no container engine; the commands are those of the Makefile.
FROM python:3.11-slim
WORKDIR /app
COPY pyproject.toml requirements.lock README.md ./
COPY memory_core ./memory_core
COPY flows ./flows
COPY plugin ./plugin
RUN pip install --no-cache-dir -c requirements.lock . && useradd --create-home nightshift \
    && mkdir /data && chown nightshift /data
USER nightshift
ENV NIGHTSHIFT_HOME=/data
CMD ["nightshift", "up"]
