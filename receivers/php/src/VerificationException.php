<?php

declare(strict_types=1);

namespace Waypost;

/** The delivery is not authentic. Respond with 401 and do not process it. */
final class VerificationException extends \RuntimeException
{
    public function __construct(public readonly VerificationFailure $failure, string $message)
    {
        parent::__construct($message);
    }
}
