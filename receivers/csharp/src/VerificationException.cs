using System;

namespace Waypost;

/// <summary>Why a delivery is not authentic.</summary>
public enum VerificationFailure
{
    BodyUnreadable,
    BodySignatureWrong,
    HeaderMissing,
    HeaderSignatureWrong,
    TimestampOutsideTolerance,
}

/// <summary>The delivery is not authentic. Respond with 401 and do not process it.</summary>
public sealed class VerificationException : Exception
{
    public VerificationException(VerificationFailure failure, string message)
        : base(message)
    {
        Failure = failure;
    }

    public VerificationFailure Failure { get; }
}
