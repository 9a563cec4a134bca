import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from waypost_receiver import LocationStatusChangedEvent, Receiver, VerificationError

receiver = Receiver(private_keys=os.environ["WAYPOST_PRIVATE_KEY"], secrets=os.environ["WAYPOST_SECRET"])


class Handler(BaseHTTPRequestHandler):
    timeout = 15

    def do_POST(self) -> None:
        length = int(self.headers.get("content-length", 0))
        if length > 1024 * 1024:
            return self.send_error(413)
        try:
            event = receiver.verify(self.rfile.read(length), self.headers)
        except VerificationError as error:
            return self.send_error(401, explain=str(error))
        # Store the event here, then respond. Process it afterwards.
        print(event.type, event.id, flush=True)
        if isinstance(event, LocationStatusChangedEvent):
            print(f"location {event.location}: {event.from_} -> {event.to}", flush=True)
        self.send_response(204)
        self.end_headers()


ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "3000"))), Handler).serve_forever()
