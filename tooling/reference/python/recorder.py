"""Recorder of the exchanges of Ganeti's HTTP servers, the node daemon and the remote API.

`install` wraps the responder of `ganeti.http.server`. One exchange is one JSON line in the recording, which exists only
while somebody records: a daemon looks for it at each request, so recording needs no restart.
"""

import json
import os
import time

import ganeti.http.server as http_server
from recording import active, append


def install(describe):
    """Records every exchange from now on; `describe(request, response)` gives what is special to the wire."""
    responder = http_server.HttpResponder
    respond = responder.__call__

    def recorded(self, fetch):
        if not active():
            return respond(self, fetch)
        started = time.time()
        requests = []

        def fetch_and_keep():
            fetched = fetch()
            requests.append((fetched[0], getattr(fetched[1], "sock", None)))
            return fetched

        result = respond(self, fetch_and_keep)
        if requests:
            request, sock = requests[0]
            append({**common(started, request, sock, result[3]), **describe(request, result[3])})
        return result

    responder.__call__ = recorded


def common(started, request, sock, response):
    entry = {
        "at": started,
        "ms": round((time.time() - started) * 1000, 1),
        "node": os.environ.get("GANETI_HOSTNAME"),
        "requestHeaders": dict(request.headers.items()),
        "status": response.start_line.code,
        "responseHeaders": dict(response.headers),
    }
    try:
        entry["peer"] = sock.getpeername()[0]
    except (AttributeError, OSError):
        entry["peer"] = None
    return entry


def parsed(body):
    """The JSON value of a body; a body that is not JSON is given as text, an empty one as null."""
    if not body:
        return None
    text = body.decode("utf-8", "replace") if isinstance(body, bytes) else body
    try:
        return json.loads(text)
    except ValueError:
        return text
