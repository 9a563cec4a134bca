using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Security.Cryptography;
using System.Text;
using System.Text.Json;
using System.Text.Unicode;

namespace Waypost;

/// <summary>Verifies deliveries with the keys of one webhook. Safe for use by several threads.</summary>
public sealed class Receiver
{
    // A delivery is {"event":<event>,"signature":"<signature>"}, where <event> is the exact signed text.
    private static readonly byte[] Head = Encoding.ASCII.GetBytes("{\"event\":");
    private static readonly byte[] TailStart = Encoding.ASCII.GetBytes(",\"signature\":\"");
    private static readonly byte[] TailEnd = Encoding.ASCII.GetBytes("\"}");
    private const int SignatureLength = 44;
    private static readonly int TailLength = TailStart.Length + SignatureLength + TailEnd.Length;

    private readonly List<byte[]> privateKeys;
    private readonly List<byte[]> secrets;
    private readonly List<byte[]> publicKeys;
    private readonly ReceiverOptions options;

    /// <exception cref="ArgumentException">A key is missing, empty or invalid.</exception>
    public Receiver(ReceiverOptions options)
    {
        this.options = options;
        privateKeys = NotEmpty("PrivateKeys", options.PrivateKeys).Select(key => Encoding.UTF8.GetBytes(key)).ToList();
        secrets = NotEmpty("Secrets", options.Secrets).Select(key => DecodedKey("whsec_", key)).ToList();
        publicKeys = NotEmpty("PublicKeys", options.PublicKeys).Select(key => DecodedKey("whpk_", key)).ToList();
        if (privateKeys.Count + secrets.Count + publicKeys.Count == 0)
        {
            throw new ArgumentException(
                "Receiver requires PrivateKeys of your account, or Secrets or PublicKeys of the webhook.");
        }
        if (publicKeys.Any(key => key.Length != 32))
        {
            throw new ArgumentException(
                "A public key is not valid. It must have the form whpk_ followed by the Base64 of 32 bytes.");
        }
        if (publicKeys.Count > 0 && options.VerifyEd25519 is null)
        {
            throw new ArgumentException("PublicKeys requires VerifyEd25519, because .NET cannot verify Ed25519 signatures.");
        }
    }

    /// <summary>Returns the event of the raw body.</summary>
    /// <param name="body">The raw body.</param>
    /// <param name="header">Returns the value of a header, or null or an empty string.</param>
    /// <exception cref="VerificationException">The delivery is not authentic.</exception>
    public WaypostEvent Verify(byte[] body, Func<string, string?> header)
    {
        if (secrets.Count + publicKeys.Count > 0)
        {
            CheckHeaders(body, header);
        }
        if (!Utf8.IsValid(body))
        {
            throw Unreadable("is not UTF-8");
        }
        var fields = privateKeys.Count > 0 ? SignedEvent(body) : EnvelopeEvent(body);
        if (fields.ValueKind != JsonValueKind.Object)
        {
            throw Unreadable("has an event that is not an object");
        }
        return Typed(fields);
    }

    private void CheckHeaders(byte[] body, Func<string, string?> header)
    {
        var id = HeaderValue(header, "webhook-id");
        var timestamp = HeaderValue(header, "webhook-timestamp");
        var signatures = HeaderValue(header, "webhook-signature").Split(' ');
        CheckTimestamp(timestamp);

        var prefix = Encoding.UTF8.GetBytes($"{id}.{timestamp}.");
        foreach (var secret in secrets)
        {
            var expected = "v1," + Hmac(secret, prefix, body);
            if (signatures.Any(given => IsSame(expected, given)))
            {
                return;
            }
        }
        if (publicKeys.Count > 0)
        {
            var signed = prefix.Concat(body).ToArray();
            if (signatures.Any(given => IsSignedWithPublicKey(given, signed)))
            {
                return;
            }
        }
        throw new VerificationException(
            VerificationFailure.HeaderSignatureWrong,
            "No signature in webhook-signature matches the secret or the public key. Check that it is the key of this "
                + "webhook, and that the body is the raw body: a reserialized body has another signature.");
    }

    private void CheckTimestamp(string timestamp)
    {
        if (!timestamp.All(character => char.IsAsciiDigit(character)))
        {
            throw new VerificationException(
                VerificationFailure.TimestampOutsideTolerance,
                "webhook-timestamp is not a Unix timestamp in seconds.");
        }
        var sent = double.Parse(timestamp, NumberStyles.None, CultureInfo.InvariantCulture);
        var age = (options.Now().ToUnixTimeMilliseconds() / 1000.0) - sent;
        if (Math.Abs(age) <= options.Tolerance.TotalSeconds)
        {
            return;
        }
        var direction = age > 0 ? "past" : "future";
        throw new VerificationException(
            VerificationFailure.TimestampOutsideTolerance,
            $"webhook-timestamp is {Math.Abs(age):0} s in the {direction}, more than the {options.Tolerance.TotalSeconds:0} s "
                + "allowed. Check the system clock. If it is correct, this is a replayed delivery.");
    }

    private bool IsSignedWithPublicKey(string given, byte[] signed)
    {
        if (!given.StartsWith("v1a,", StringComparison.Ordinal))
        {
            return false;
        }
        var text = given.Substring("v1a,".Length);
        var signature = new byte[64];
        // Decoding ignores unused bits: other texts of the same bytes are not accepted.
        var isExact = Convert.TryFromBase64String(text, signature, out var length)
            && length == signature.Length
            && Convert.ToBase64String(signature) == text;
        return isExact && publicKeys.Any(key => options.VerifyEd25519!(key, signature, signed));
    }

    private JsonElement SignedEvent(byte[] body)
    {
        var end = body.Length - TailLength;
        if (end >= Head.Length && IsExact(body, end))
        {
            var signed = body.AsMemory(Head.Length, end - Head.Length);
            var given = Encoding.ASCII.GetString(body, end + TailStart.Length, SignatureLength);
            if (privateKeys.Any(key => IsSame(Hmac(key, signed), given)))
            {
                return Parse(signed);
            }
        }
        EnvelopeEvent(body);
        throw new VerificationException(
            VerificationFailure.BodySignatureWrong,
            "The signature in the body does not match the private key. Check that it is the key of the partner that owns "
                + "the webhook, and that the body was not modified.");
    }

    private static bool IsExact(byte[] body, int end)
    {
        var tail = body.AsSpan(end);
        return body.AsSpan().StartsWith(Head) && tail.StartsWith(TailStart) && tail.EndsWith(TailEnd);
    }

    private static JsonElement EnvelopeEvent(byte[] body)
    {
        var envelope = Parse(body);
        if (envelope.ValueKind != JsonValueKind.Object
            || !envelope.TryGetProperty("event", out var fields)
            || !envelope.TryGetProperty("signature", out var signature))
        {
            throw Unreadable("has no event and signature");
        }
        if (signature.ValueKind != JsonValueKind.String)
        {
            throw Unreadable("has a signature that is not a string");
        }
        return fields;
    }

    private static WaypostEvent Typed(JsonElement fields)
    {
        var type = fields.TryGetProperty("type", out var name) && name.ValueKind == JsonValueKind.String
            ? name.GetString() ?? ""
            : "";
        var verified = Deserialized(fields, EventRecords.ByType.GetValueOrDefault(type, typeof(UnknownEvent)))
            ?? Deserialized(fields, typeof(UnknownEvent))
            ?? new UnknownEvent { Type = type };
        verified.Raw = fields;
        return verified;
    }

    /// <summary>Returns null if a field has another type than the record.</summary>
    private static WaypostEvent? Deserialized(JsonElement fields, Type type)
    {
        try
        {
            return (WaypostEvent?)JsonSerializer.Deserialize(fields, type);
        }
        catch (JsonException)
        {
            return null;
        }
    }

    private static JsonElement Parse(ReadOnlyMemory<byte> json)
    {
        try
        {
            using var document = JsonDocument.Parse(json);
            return document.RootElement.Clone();
        }
        catch (JsonException)
        {
            throw Unreadable("is not JSON");
        }
    }

    private static VerificationException Unreadable(string why) =>
        new VerificationException(
            VerificationFailure.BodyUnreadable,
            "The body " + why + ". A delivery has the form {\"event\": {…}, \"signature\": \"…\"}.");

    private static string HeaderValue(Func<string, string?> header, string name)
    {
        var value = header(name);
        if (string.IsNullOrEmpty(value))
        {
            throw new VerificationException(VerificationFailure.HeaderMissing, $"The header {name} is missing.");
        }
        return value;
    }

    /// <summary>Empty keys are often caused by unset environment variables: anyone could sign with an empty key.</summary>
    private static IReadOnlyList<string> NotEmpty(string name, IReadOnlyList<string> keys)
    {
        if (keys.Any(key => string.IsNullOrEmpty(key)))
        {
            throw new ArgumentException($"{name} contains an empty key.");
        }
        return keys;
    }

    private static byte[] DecodedKey(string prefix, string key)
    {
        var text = key.StartsWith(prefix, StringComparison.Ordinal) ? key.Substring(prefix.Length) : key;
        var decoded = new byte[text.Length];
        if (!Convert.TryFromBase64String(text, decoded, out var length) || length == 0)
        {
            throw new ArgumentException(
                $"A key of the webhook is not valid. It must have the form {prefix} followed by Base64.");
        }
        return decoded.AsSpan(0, length).ToArray();
    }

    private static string Hmac(byte[] key, params ReadOnlyMemory<byte>[] parts)
    {
        using var hash = IncrementalHash.CreateHMAC(HashAlgorithmName.SHA256, key);
        foreach (var part in parts)
        {
            hash.AppendData(part.Span);
        }
        return Convert.ToBase64String(hash.GetHashAndReset());
    }

    private static bool IsSame(string expected, string given) =>
        CryptographicOperations.FixedTimeEquals(Encoding.UTF8.GetBytes(expected), Encoding.UTF8.GetBytes(given));
}
