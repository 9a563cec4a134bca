import { type ConnectionOptions, connect, type SecureVersion } from 'node:tls';

/** The negotiated TLS version and the status line, or the error. */
export function connectTls(port: number, version: SecureVersion): Promise<string> {
  const options: ConnectionOptions = {
    host: '127.0.0.1',
    port,
    rejectUnauthorized: false,
    minVersion: version,
    maxVersion: version,
    // Allows obsolete TLS versions in the client.
    ciphers: 'DEFAULT@SECLEVEL=0',
  };
  return new Promise((resolve) => {
    const socket = connect(options, () => socket.write('GET /health/live HTTP/1.1\r\nhost: localhost\r\n\r\n'));
    socket.on('data', (data) => {
      resolve(`${socket.getProtocol()} ${String(data).split('\r\n')[0]}`);
      socket.destroy();
    });
    socket.on('error', (error: NodeJS.ErrnoException) => resolve(String(error.code)));
  });
}
