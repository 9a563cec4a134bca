<?php

declare(strict_types=1);

namespace Waypost;

enum VerificationFailure: string
{
    case BodyUnreadable = 'body-unreadable';
    case BodySignatureWrong = 'body-signature-wrong';
    case HeaderMissing = 'header-missing';
    case HeaderSignatureWrong = 'header-signature-wrong';
    case TimestampOutsideTolerance = 'timestamp-outside-tolerance';
}
