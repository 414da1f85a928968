"""The service with a uvicorn worker for each CPU."""

import os

import uvicorn

if __name__ == "__main__":
    uvicorn.run(
        "main:app",
        host=os.environ.get("HOST", "0.0.0.0"),
        port=int(os.environ["PORT"]),
        access_log=False,  # as the contract requires
        workers=len(os.sched_getaffinity(0)),
        timeout_graceful_shutdown=0,  # SIGTERM stops at once
    )
