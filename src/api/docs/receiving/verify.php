<?php
/** Returns the event, or throws when the delivery is not genuine. $raw is file_get_contents('php://input'). */
function verify(string $raw, string $privateKey): array
{
    $start = strlen('{"event":');
    $end = strrpos($raw, ',"signature":');
    $signed = substr($raw, $start, max(0, (int) $end - $start));
    $expected = base64_encode(hash_hmac('sha256', $signed, $privateKey, true));
    if (!hash_equals(',"signature":"' . $expected . '"}', substr($raw, (int) $end))) {
        throw new RuntimeException('not a delivery of Waypost');
    }
    return json_decode($signed, true);
}

/** The same by the headers and the secret of the webhook. Also compare webhook-timestamp with the time. */
function verifyHeaders(string $raw, array $headers, string $secret): void
{
    $key = base64_decode(substr($secret, strlen('whsec_')));
    $signed = ($headers['webhook-id'] ?? '') . '.' . ($headers['webhook-timestamp'] ?? '') . '.' . $raw;
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', $signed, $key, true));
    foreach (explode(' ', $headers['webhook-signature'] ?? '') as $one) {
        if (hash_equals($expected, $one)) {
            return;
        }
    }
    throw new RuntimeException('not a delivery of Waypost');
}

if (PHP_SAPI === 'cli') {
    $raw = file_get_contents('php://stdin');
    verifyHeaders($raw, [
        'webhook-id' => getenv('WEBHOOK_ID'),
        'webhook-timestamp' => getenv('WEBHOOK_TIMESTAMP'),
        'webhook-signature' => getenv('WEBHOOK_SIGNATURE'),
    ], getenv('SECRET'));
    $event = verify($raw, getenv('PRIVATE_KEY'));
    echo $event['type'], ' ', $event['id'], "\n";
}
