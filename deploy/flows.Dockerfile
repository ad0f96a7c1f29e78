# A Prefect worker that runs the flows of a work pool. Not built on the machines this project is developed on.
FROM python:3.11-slim
WORKDIR /app
COPY pyproject.toml requirements.lock README.md ./
COPY memory_core ./memory_core
COPY flows ./flows
COPY plugin ./plugin
COPY deploy/prefect.yaml ./prefect.yaml
RUN pip install --no-cache-dir -c requirements.lock . && useradd --create-home nightshift \
    && mkdir /data && chown nightshift /data
USER nightshift
ENV NIGHTSHIFT_HOME=/data
CMD ["prefect", "worker", "start", "--pool", "nightshift", "--type", "process"]
