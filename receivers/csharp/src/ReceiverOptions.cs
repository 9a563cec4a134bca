using System;
using System.Collections.Generic;

namespace Waypost;

/// <summary>Returns whether the Ed25519 signature (64 bytes) of the message is from the public key (32 bytes).</summary>
public delegate bool Ed25519Verifier(byte[] publicKey, byte[] signature, byte[] message);

/// <summary>
/// The keys of one webhook. At least one key is required. With keys for body and headers, both must be valid. In the
/// headers, one match of a secret or public key is enough. Pass several keys during a rotation.
/// </summary>
public sealed class ReceiverOptions
{
    /// <summary>Private keys of the partner, for the signature in the body.</summary>
    public IReadOnlyList<string> PrivateKeys { get; init; } = Array.Empty<string>();

    /// <summary>Secrets of the webhook (whsec_…), for v1 signatures in the headers and the age of the delivery.</summary>
    public IReadOnlyList<string> Secrets { get; init; } = Array.Empty<string>();

    /// <summary>
    /// Public keys of the webhook (whpk_…), for v1a signatures in the headers and the age of the delivery. They require
    /// <see cref="VerifyEd25519"/>.
    /// </summary>
    public IReadOnlyList<string> PublicKeys { get; init; } = Array.Empty<string>();

    /// <summary>Verifies v1a signatures. .NET has no Ed25519: use a library.</summary>
    public Ed25519Verifier? VerifyEd25519 { get; init; }

    /// <summary>Maximum difference between webhook-timestamp and now, in either direction.</summary>
    public TimeSpan Tolerance { get; init; } = TimeSpan.FromMinutes(5);

    /// <summary>The clock, for tests.</summary>
    public Func<DateTimeOffset> Now { get; init; } = () => DateTimeOffset.UtcNow;
}
