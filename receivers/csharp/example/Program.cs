using Waypost;

var receiver = new Receiver(new ReceiverOptions
{
    PrivateKeys = new[] { Environment.GetEnvironmentVariable("WAYPOST_PRIVATE_KEY") ?? "" },
    Secrets = new[] { Environment.GetEnvironmentVariable("WAYPOST_SECRET") ?? "" },
});
var port = Environment.GetEnvironmentVariable("PORT") ?? "3000";
var app = WebApplication.CreateBuilder(args).Build();

app.MapPost("/", async (HttpRequest request) =>
{
    using var body = new MemoryStream();
    await request.Body.CopyToAsync(body);
    try
    {
        var verified = receiver.Verify(body.ToArray(), name => request.Headers[name].ToString());
        // Store the event here, then respond. Process it afterwards.
        Console.WriteLine($"{verified.Type} {verified.Id}");
        if (verified is LocationStatusChangedEvent change)
        {
            Console.WriteLine($"location {change.Location}: {change.From} -> {change.To}");
        }
        return Results.NoContent();
    }
    catch (VerificationException exception)
    {
        return Results.Text(exception.Message, statusCode: 401);
    }
});

app.Run($"http://127.0.0.1:{port}");
