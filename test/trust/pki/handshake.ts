import { connect, type ConnectionOptions } from 'node:tls';

/** What a client and the listener agree on, as `TLSv1.2 <cipher>`, or `refused: <code>`. */
export function handshake(port: number, options: ConnectionOptions): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false, ...options });
    socket.once('secureConnect', () => {
      const { standardName, name } = socket.getCipher();
      const protocol = socket.getProtocol() ?? '';
      resolve(`${protocol} ${protocol === 'TLSv1.3' ? standardName : name}`);
      socket.destroy();
    });
    socket.once('error', (error: NodeJS.ErrnoException) => {
      resolve(`refused: ${error.code ?? error.message}`);
    });
  });
}
