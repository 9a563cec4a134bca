<?php

declare(strict_types=1);

namespace Waypost;

/**
 * Verifies deliveries with the keys of one webhook.
 *
 * At least one key is required. With keys for body and headers, both must be valid. In the headers, one match of a
 * secret or public key is enough. Pass several keys during a rotation.
 */
final class Receiver
{
    /** A delivery is {"event":<event>,"signature":"<signature>"}, where <event> is the exact signed text. */
    private const HEAD = '{"event":';
    private const TAIL = '~^,"signature":"([A-Za-z0-9+/]{43}=)"}$~D';
    private const TAIL_LENGTH = 60;

    /** @var list<string> */
    private readonly array $privateKeys;
    /** @var list<string> */
    private readonly array $secrets;
    /** @var list<string> */
    private readonly array $publicKeys;

    /**
     * @param string|list<string> $privateKeys
     * @param string|list<string> $secrets
     * @param string|list<string> $publicKeys
     */
    public function __construct(
        #[\SensitiveParameter] string|array $privateKeys = [],
        #[\SensitiveParameter] string|array $secrets = [],
        string|array $publicKeys = [],
        private readonly int|float $toleranceSeconds = 300,
    ) {
        $this->privateKeys = self::listOf('privateKeys', $privateKeys);
        $this->secrets = array_map(
            fn (#[\SensitiveParameter] string $secret) => self::decodedKey('whsec_', $secret),
            self::listOf('secrets', $secrets),
        );
        $this->publicKeys = array_map(
            fn (string $key) => self::decodedKey('whpk_', $key, 32),
            self::listOf('publicKeys', $publicKeys),
        );
        if (!$this->privateKeys && !$this->secrets && !$this->publicKeys) {
            throw new \InvalidArgumentException(
                'Receiver requires privateKeys of your account, or secrets or publicKeys of the webhook.',
            );
        }
        if ($this->publicKeys && !function_exists('sodium_crypto_sign_verify_detached')) {
            throw new \InvalidArgumentException('publicKeys requires the PHP extension sodium.');
        }
    }

    /**
     * Returns the event of the raw body. The names of the headers may have any case.
     *
     * @param array<string, string|list<string>> $headers
     * @throws VerificationException if the delivery is not authentic
     */
    public function verify(string $body, array $headers, int|float|null $now = null): Event|UnknownEvent
    {
        if ($this->secrets || $this->publicKeys) {
            $this->checkHeaders($body, array_change_key_case($headers), $now ?? microtime(true));
        }
        if (preg_match('//u', $body) !== 1) {
            throw self::unreadable('is not UTF-8');
        }
        $event = $this->privateKeys ? $this->signedEvent($body) : self::envelope($body)['event'];
        if (!is_array($event) || ($event !== [] && array_is_list($event))) {
            throw self::unreadable('has an event that is not an object');
        }
        return self::typed($event);
    }

    /** @param array<string, string|list<string>> $headers */
    private function checkHeaders(string $body, array $headers, int|float $now): void
    {
        $id = self::header($headers, 'webhook-id');
        $timestamp = self::header($headers, 'webhook-timestamp');
        $signatures = explode(' ', self::header($headers, 'webhook-signature'));
        $this->checkTimestamp($timestamp, $now);

        $prefix = "$id.$timestamp.";
        foreach ($this->secrets as $secret) {
            $expected = 'v1,' . self::hmac($secret, $prefix, $body);
            foreach ($signatures as $given) {
                if (hash_equals($expected, $given)) {
                    return;
                }
            }
        }
        if ($this->publicKeys && $this->isSignedWithPublicKey($signatures, $prefix . $body)) {
            return;
        }
        throw new VerificationException(
            VerificationFailure::HeaderSignatureWrong,
            'No signature in webhook-signature matches the secret or the public key. Check that it is the key of this '
                . 'webhook, and that the body is the raw body: a reserialized body has another signature.',
        );
    }

    private function checkTimestamp(string $timestamp, int|float $now): void
    {
        if (preg_match('/^[0-9]+$/D', $timestamp) !== 1) {
            $message = 'webhook-timestamp is not a Unix timestamp in seconds.';
            throw new VerificationException(VerificationFailure::TimestampOutsideTolerance, $message);
        }
        $age = $now - (float) $timestamp;
        if (abs($age) > $this->toleranceSeconds) {
            throw new VerificationException(VerificationFailure::TimestampOutsideTolerance, sprintf(
                'webhook-timestamp is %.0f s in the %s, more than the %s s allowed. Check the system clock. If it is '
                    . 'correct, this is a replayed delivery.',
                abs($age),
                $age > 0 ? 'past' : 'future',
                $this->toleranceSeconds,
            ));
        }
    }

    /** @param list<string> $signatures */
    private function isSignedWithPublicKey(array $signatures, string $signed): bool
    {
        foreach ($signatures as $given) {
            $text = substr($given, strlen('v1a,'));
            $signature = base64_decode($text, true);
            // Decoding ignores unused bits: other texts of the same bytes are not accepted.
            $isExact = $signature !== false && strlen($signature) === 64 && base64_encode($signature) === $text;
            if (!$isExact || !str_starts_with($given, 'v1a,')) {
                continue;
            }
            foreach ($this->publicKeys as $key) {
                if (sodium_crypto_sign_verify_detached($signature, $signed, $key)) {
                    return true;
                }
            }
        }
        return false;
    }

    private function signedEvent(string $body): mixed
    {
        $isExact = str_starts_with($body, self::HEAD)
            && preg_match(self::TAIL, substr($body, -self::TAIL_LENGTH), $tail) === 1;
        if ($isExact) {
            $text = substr($body, strlen(self::HEAD), -self::TAIL_LENGTH);
            foreach ($this->privateKeys as $key) {
                if (hash_equals(self::hmac($key, $text), $tail[1])) {
                    return self::parse($text);
                }
            }
        }
        self::envelope($body);
        throw new VerificationException(
            VerificationFailure::BodySignatureWrong,
            'The signature in the body does not match the private key. Check that it is the key of the partner that owns '
                . 'the webhook, and that the body was not modified.',
        );
    }

    /** @param array<string, mixed> $fields */
    private static function typed(array $fields): Event|UnknownEvent
    {
        $type = $fields['type'] ?? null;
        $class = is_string($type) ? EventClasses::BY_TYPE[$type] ?? null : null;
        try {
            return $class === null ? new UnknownEvent($fields) : new $class($fields);
        } catch (\TypeError) {
            return new UnknownEvent($fields);
        }
    }

    /**
     * Rejects empty keys, often caused by unset environment variables: anyone could sign with an empty key.
     *
     * @param string|list<string> $keys
     * @return list<string>
     */
    private static function listOf(string $name, #[\SensitiveParameter] string|array $keys): array
    {
        $list = array_values((array) $keys);
        if (in_array('', $list, true)) {
            throw new \InvalidArgumentException("$name contains an empty key.");
        }
        return $list;
    }

    private static function decodedKey(string $prefix, #[\SensitiveParameter] string $key, ?int $length = null): string
    {
        $text = str_starts_with($key, $prefix) ? substr($key, strlen($prefix)) : $key;
        $decoded = base64_decode($text, true);
        if ($decoded === false || $decoded === '' || ($length !== null && strlen($decoded) !== $length)) {
            $size = $length === null ? '' : " of $length bytes";
            throw new \InvalidArgumentException(
                "A key of the webhook is not valid. It must have the form $prefix followed by Base64$size.",
            );
        }
        return $decoded;
    }

    private static function hmac(#[\SensitiveParameter] string $key, string ...$parts): string
    {
        $context = hash_init('sha256', HASH_HMAC, $key);
        foreach ($parts as $part) {
            hash_update($context, $part);
        }
        return base64_encode(hash_final($context, true));
    }

    /** @param array<string, string|list<string>> $headers */
    private static function header(array $headers, string $name): string
    {
        $value = ((array) ($headers[$name] ?? ''))[0] ?? '';
        if ($value === '') {
            throw new VerificationException(VerificationFailure::HeaderMissing, "The header $name is missing.");
        }
        return $value;
    }

    /** @return array{event: mixed, signature: string} */
    private static function envelope(string $text): array
    {
        $envelope = self::parse($text);
        if (!is_array($envelope) || !array_key_exists('event', $envelope) || !array_key_exists('signature', $envelope)) {
            throw self::unreadable('has no event and signature');
        }
        if (!is_string($envelope['signature'])) {
            throw self::unreadable('has a signature that is not a string');
        }
        return $envelope;
    }

    private static function parse(string $text): mixed
    {
        try {
            return json_decode($text, true, 512, JSON_THROW_ON_ERROR | JSON_BIGINT_AS_STRING);
        } catch (\JsonException) {
            throw self::unreadable('is not JSON');
        }
    }

    private static function unreadable(string $why): VerificationException
    {
        return new VerificationException(
            VerificationFailure::BodyUnreadable,
            "The body $why. A delivery has the form {\"event\": {…}, \"signature\": \"…\"}.",
        );
    }
}
