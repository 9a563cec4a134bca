using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text;
using System.Text.Json;
using Waypost;

// Run with: dotnet run --project test -- ../vectors.json

var failures = new List<string>();
using var document = JsonDocument.Parse(File.ReadAllText(args[0]));
var vectors = document.RootElement.GetProperty("vectors").EnumerateArray().ToList();
Check("number of vectors", true, vectors.Count > 50);
foreach (var vector in vectors)
{
    CheckVector(vector);
}
CheckTypedEvents();
CheckArguments();
if (failures.Count > 0)
{
    Console.Error.WriteLine(string.Join("\n", failures));
    return 1;
}
Console.WriteLine($"{vectors.Count} vectors passed.");
return 0;

void CheckVector(JsonElement vector)
{
    var name = Text(vector, "name");
    var expected = vector.GetProperty("expected");
    try
    {
        var verified = Verify(vector);
        Check(name, expected.TryGetProperty("class", out var kind) ? kind.GetString() : "error", verified.GetType().Name);
        if (!expected.TryGetProperty("fields", out var fields))
        {
            return;
        }
        foreach (var field in fields.EnumerateObject())
        {
            var actual = verified.Raw.GetProperty(field.Name).ToString();
            Check($"{name}: {field.Name}", field.Value.GetString(), actual);
        }
        Check($"{name}: Id", fields.GetProperty("id").GetString(), verified.Id.ToString());
    }
    catch (VerificationException exception)
    {
        var code = expected.TryGetProperty("error", out var error) ? error.GetString() : "class";
        Check(name, code, KebabCase(exception.Failure.ToString()));
        foreach (var key in Keys(vector, "privateKeys").Concat(Keys(vector, "secrets")))
        {
            Check($"{name}: message without keys", false, exception.Message.Contains(key));
        }
    }
}

WaypostEvent Verify(JsonElement vector)
{
    var body = Convert.FromBase64String(Text(vector, "bodyBase64"));
    var headers = new Dictionary<string, string>(StringComparer.OrdinalIgnoreCase);
    foreach (var header in vector.GetProperty("headers").EnumerateObject())
    {
        headers[header.Name] = header.Value.GetString() ?? "";
    }
    var receiver = new Receiver(new ReceiverOptions
    {
        PrivateKeys = Keys(vector, "privateKeys"),
        Secrets = Keys(vector, "secrets"),
        PublicKeys = Keys(vector, "publicKeys"),
        VerifyEd25519 = (key, signature, message) => IsExpectedSignature(vector, headers, body, key, signature, message),
        Tolerance = TimeSpan.FromSeconds(vector.GetProperty("toleranceSeconds").GetDouble()),
        Now = () => DateTimeOffset.FromUnixTimeSeconds(vector.GetProperty("now").GetInt64()),
    });
    return receiver.Verify(body, name => headers.TryGetValue(name, out var value) ? value : null);
}

// .NET has no Ed25519. Checks the arguments of the function, and returns the expected result for the last public key.
bool IsExpectedSignature(
    JsonElement vector, Dictionary<string, string> headers, byte[] body, byte[] key, byte[] signature, byte[] message)
{
    var prefix = Encoding.UTF8.GetBytes($"{headers["webhook-id"]}.{headers["webhook-timestamp"]}.");
    Check("v1a: message", true, message.SequenceEqual(prefix.Concat(body)));
    var signatures = headers["webhook-signature"].Split(' ');
    Check("v1a: signature", true, signatures.Contains("v1a," + Convert.ToBase64String(signature)));
    Check("v1a: length of the signature", 64, signature.Length);
    var isLastKey = Keys(vector, "publicKeys").Last() == "whpk_" + Convert.ToBase64String(key);
    return isLastKey && vector.GetProperty("expected").TryGetProperty("class", out _);
}

void CheckTypedEvents()
{
    var check = Verify(Named("event type LISTING_DATAPOINT_CHECK")) as ListingDatapointCheckEvent;
    Check("partner", "hansekontor", check?.SalesPartnerIdentifier);
    Check("boolean", true, check?.NewDatapointsFound);
    Check("ids", check?.Raw.GetProperty("newDataPointIds").GetArrayLength(), check?.NewDataPointIds.Count);
    var change = Verify(Named("unknown status value")) as LocationStatusChangedEvent;
    Check("from", LocationStatus.Active, change?.From);
    Check("to", "MOVED", change?.To);
}

void CheckArguments()
{
    var invalid = new[]
    {
        new ReceiverOptions(),
        new ReceiverOptions { PrivateKeys = new[] { "" } },
        new ReceiverOptions { Secrets = new[] { "whsec_" } },
        new ReceiverOptions { Secrets = new[] { "whsec_?" } },
        new ReceiverOptions { PublicKeys = new[] { "whpk_AAAA" }, VerifyEd25519 = (_, _, _) => true },
        new ReceiverOptions { PublicKeys = Keys(Named("v1a"), "publicKeys") },
    };
    for (var index = 0; index < invalid.Length; index++)
    {
        try
        {
            _ = new Receiver(invalid[index]);
            failures.Add($"invalid options {index}: accepted");
        }
        catch (ArgumentException)
        {
            // Rejected.
        }
    }
}

JsonElement Named(string name) => vectors.First(vector => Text(vector, "name") == name);

static string Text(JsonElement element, string name) => element.GetProperty(name).GetString() ?? "";

static string[] Keys(JsonElement vector, string kind) =>
    vector.GetProperty("keys").GetProperty(kind).EnumerateArray().Select(key => key.GetString() ?? "").ToArray();

static string KebabCase(string name)
{
    var result = new StringBuilder();
    foreach (var character in name)
    {
        if (char.IsUpper(character) && result.Length > 0)
        {
            result.Append('-');
        }
        result.Append(char.ToLowerInvariant(character));
    }
    return result.ToString();
}

void Check(string name, object? expected, object? actual)
{
    if (!Equals(expected, actual))
    {
        failures.Add($"{name}: expected {expected}, got {actual}");
    }
}
