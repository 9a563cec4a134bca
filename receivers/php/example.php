<?php

use Waypost\LocationStatusChangedEvent;
use Waypost\Receiver;
use Waypost\VerificationException;

require __DIR__ . '/src/autoload.php'; // with Composer: vendor/autoload.php

$receiver = new Receiver(privateKeys: getenv('WAYPOST_PRIVATE_KEY'), secrets: getenv('WAYPOST_SECRET'));
try {
    $event = $receiver->verify(file_get_contents('php://input'), getallheaders());
} catch (VerificationException $exception) {
    http_response_code(401);
    exit($exception->getMessage());
}
// Store the event here, then respond. Process it afterwards.
file_put_contents('php://stdout', "$event->type $event->id\n");
if ($event instanceof LocationStatusChangedEvent) {
    file_put_contents('php://stdout', "location $event->location: $event->from -> $event->to\n");
}
http_response_code(204);
