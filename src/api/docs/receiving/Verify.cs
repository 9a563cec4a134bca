using System;
using System.IO;
using System.Linq;
using System.Security.Cryptography;
using System.Text;
using System.Text.Json;

public static class Waypost
{
    /// <summary>Returns the event, or throws when the delivery is not genuine.</summary>
    public static JsonElement Verify(byte[] raw, string privateKey)
    {
        var start = "{\"event\":".Length;
        var end = raw.AsSpan().LastIndexOf(",\"signature\":"u8);
        if (end < start) throw new CryptographicException("not a delivery of Waypost");
        var signed = raw.AsSpan(start, end - start).ToArray();
        var expected = Sign(Encoding.UTF8.GetBytes(privateKey), signed);
        if (!Same($",\"signature\":\"{expected}\"}}", Encoding.UTF8.GetString(raw.AsSpan(end))))
            throw new CryptographicException("not a delivery of Waypost");
        return JsonDocument.Parse(signed).RootElement;
    }

    /// <summary>The same by the headers and the secret of the webhook. Also compare webhook-timestamp with the time.</summary>
    public static void VerifyHeaders(byte[] raw, string id, string timestamp, string signatures, string secret)
    {
        var key = Convert.FromBase64String(secret.Substring("whsec_".Length));
        var signed = Encoding.UTF8.GetBytes($"{id}.{timestamp}.").Concat(raw).ToArray();
        var expected = "v1," + Sign(key, signed);
        if (!(signatures ?? "").Split(' ').Any(one => Same(expected, one)))
            throw new CryptographicException("not a delivery of Waypost");
    }

    static string Sign(byte[] key, byte[] text) => Convert.ToBase64String(HMACSHA256.HashData(key, text));

    static bool Same(string one, string other) =>
        CryptographicOperations.FixedTimeEquals(Encoding.UTF8.GetBytes(one), Encoding.UTF8.GetBytes(other));

    public static void Main()
    {
        using var input = new MemoryStream();
        Console.OpenStandardInput().CopyTo(input);
        string Setting(string name) => Environment.GetEnvironmentVariable(name) ?? "";
        VerifyHeaders(input.ToArray(), Setting("WEBHOOK_ID"), Setting("WEBHOOK_TIMESTAMP"), Setting("WEBHOOK_SIGNATURE"), Setting("SECRET"));
        var verified = Verify(input.ToArray(), Setting("PRIVATE_KEY"));
        Console.WriteLine($"{verified.GetProperty("type")} {verified.GetProperty("id")}");
    }
}
