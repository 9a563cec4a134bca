# frozen_string_literal: true

# Serves config.ru for the tests of the repository, because Rack and its servers are not part of Ruby.

require "socket"
require "stringio"

$stdout.sync = true
$LOAD_PATH.unshift(File.expand_path("../lib", __dir__))

def run(app)
  server = TCPServer.new("127.0.0.1", Integer(ENV.fetch("PORT")))
  loop { serve(app, server.accept) }
end

def serve(app, socket)
  socket.gets
  env = {}
  while (line = socket.gets&.chomp) && !line.empty?
    name, value = line.split(": ", 2)
    env["HTTP_#{name.upcase.tr("-", "_")}"] = value
  end
  env["rack.input"] = StringIO.new(socket.read(env.fetch("HTTP_CONTENT_LENGTH", "0").to_i))
  status, _headers, body = app.call(env)
  length = status == 204 ? "" : "content-length: #{body.sum(&:bytesize)}\r\n"
  socket.write("HTTP/1.1 #{status} Status\r\nconnection: close\r\n#{length}\r\n#{body.join}")
ensure
  socket.close
end

load File.expand_path("../config.ru", __dir__)
