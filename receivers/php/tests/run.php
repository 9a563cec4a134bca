<?php

declare(strict_types=1);

// Run with: php tests/run.php

use Waypost\Event;
use Waypost\ListingDatapointCheckEvent;
use Waypost\ListingUpdateEvent;
use Waypost\LocationStatusChangedEvent;
use Waypost\Receiver;
use Waypost\UnknownEvent;
use Waypost\VerificationException;

require __DIR__ . '/../src/autoload.php';

// Warnings and notices fail the tests.
set_error_handler(fn (int $level, string $message) => throw new ErrorException($message));

$vectors = json_decode(file_get_contents(__DIR__ . '/../../vectors.json'), true, 512, JSON_THROW_ON_ERROR)['vectors'];
$failures = [];

function check(string $name, mixed $expected, mixed $actual): void
{
    global $failures;
    if ($expected !== $actual) {
        $failures[] = "$name: expected " . var_export($expected, true) . ', got ' . var_export($actual, true);
    }
}

function verify(array $vector): Event|UnknownEvent
{
    ['privateKeys' => $privateKeys, 'secrets' => $secrets, 'publicKeys' => $publicKeys] = $vector['keys'];
    $receiver = new Receiver($privateKeys, $secrets, $publicKeys, $vector['toleranceSeconds']);
    return $receiver->verify(base64_decode($vector['bodyBase64']), $vector['headers'], $vector['now']);
}

function rejects(callable $call, string $message): bool
{
    try {
        $call();
    } catch (InvalidArgumentException $exception) {
        return str_contains($exception->getMessage(), $message);
    }
    return false;
}

check('number of vectors', true, count($vectors) > 50);
foreach ($vectors as $vector) {
    $expected = $vector['expected'];
    try {
        $event = verify($vector);
        check($vector['name'], $expected['class'] ?? $expected, (new ReflectionClass($event))->getShortName());
        foreach ($expected['fields'] ?? [] as $field => $value) {
            check("{$vector['name']}: $field", $value, (string) $event->raw[$field]);
        }
    } catch (VerificationException $exception) {
        check($vector['name'], $expected['error'] ?? $expected, $exception->failure->value);
        foreach ([...$vector['keys']['privateKeys'], ...$vector['keys']['secrets']] as $key) {
            check("{$vector['name']}: message without keys", false, str_contains($exception->getMessage(), $key));
        }
    }
}

$named = array_column($vectors, null, 'name');
$event = verify($named['event type LISTING_DATAPOINT_CHECK']);
check('datapoint check', true, $event instanceof ListingDatapointCheckEvent);
check('partner', 'hansekontor', $event->salesPartnerIdentifier);
check('ids', $event->raw['newDataPointIds'], $event->newDataPointIds);

$event = verify($named['unknown status value']);
check('status change', true, $event instanceof LocationStatusChangedEvent);
check('unknown value', ['ACTIVE', 'MOVED'], [$event->from, $event->to]);

function signed(string $text): Event|UnknownEvent
{
    $signature = base64_encode(hash_hmac('sha256', $text, 'key', true));
    return (new Receiver(privateKeys: 'key'))->verify("{\"event\":$text,\"signature\":\"$signature\"}", []);
}

$update = $named['event type LISTING_UPDATE'];
$raw = [...verify($update)->raw, 'updateStatus' => null];
$event = signed(json_encode($raw));
check('null', [ListingUpdateEvent::class, null], [$event::class, $event->updateStatus]);
$event = signed(json_encode([...$raw, 'location' => 'moved']));
check('other type of a field', [UnknownEvent::class, 184467], [$event::class, $event->id]);

check('no key', true, rejects(fn () => new Receiver(), 'requires'));
check('empty key', true, rejects(fn () => new Receiver(privateKeys: ''), 'privateKeys contains an empty key'));
check('empty secret', true, rejects(fn () => new Receiver(secrets: 'whsec_'), 'whsec_ followed by Base64'));
check('invalid secret', true, rejects(fn () => new Receiver(secrets: 'whsec_?'), 'whsec_ followed by Base64'));
check('short public key', true, rejects(fn () => new Receiver(publicKeys: 'whpk_AAAA'), '32 bytes'));

if ($failures) {
    fwrite(STDERR, implode("\n", $failures) . "\n");
    exit(1);
}
echo count($vectors), " vectors passed.\n";
