"""The variables of the worker's environment that builds of processes receive.

All others may be secrets, such as keys of a cloud or the socket of an SSH agent.
"""

import re
from collections.abc import Mapping
from pathlib import Path

_ALLOWED = (
    "LANG|LC_ALL|LC_CTYPE|TZ",
    # Trusted certificates.
    "SSL_CERT_FILE|SSL_CERT_DIR|REQUESTS_CA_BUNDLE|CURL_CA_BUNDLE|NODE_EXTRA_CA_CERTS",
    "HTTP_PROXY|HTTPS_PROXY|ALL_PROXY|NO_PROXY|http_proxy|https_proxy|all_proxy|no_proxy",
    # Package registries and settings of the toolchains.
    "PIP_[A-Z0-9_]+|UV_INDEX_URL|UV_DEFAULT_INDEX|npm_config_[a-z0-9_]+|NPM_CONFIG_[A-Z0-9_]+",
    "GOPROXY|GOSUMDB|GONOSUMDB|GONOPROXY|GOPRIVATE|GOINSECURE|GOFLAGS|GOTOOLCHAIN|GOVCS",
    "CARGO_HTTP_[A-Z_]+|CARGO_NET_[A-Z_]+|CARGO_SOURCE_[A-Z0-9_]+|CARGO_REGISTRIES_[A-Z0-9_]+",
    "MAVEN_OPTS|MAVEN_ARGS|JAVA_TOOL_OPTIONS",
)
# Variables that name a folder. Others may name single files, such as certificates.
_FOLDERS = ("SSL_CERT_DIR", "PIP_FIND_LINKS")
_PATTERN = re.compile("|".join(_ALLOWED))


def select_variables(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that builds may know."""
    return {name: value for name, value in environment.items() if _PATTERN.fullmatch(name)}


def list_named_files(environment: Mapping[str, str]) -> list[Path]:
    """Return the files and folders that these variables name, which builds must see too."""
    named = [
        (name, Path(value))
        for name, value in select_variables(environment).items()
        if value.startswith("/")
    ]
    return [path for name, path in named if path.is_file() or (name in _FOLDERS and path.is_dir())]
