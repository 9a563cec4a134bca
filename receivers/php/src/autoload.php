<?php

// Without Composer: require this file.

declare(strict_types=1);

require_once __DIR__ . '/VerificationFailure.php';
require_once __DIR__ . '/VerificationException.php';
require_once __DIR__ . '/UnknownEvent.php';
require_once __DIR__ . '/events.php';
require_once __DIR__ . '/Receiver.php';
