import pg from 'pg';

/** Members of a driver client that its types do not declare. */
interface ConnectedClient {
  readonly host: string;
  readonly port: number;
  readonly ssl: boolean | object;
  readonly processID: number | null;
  readonly secretKey: number | null;
}

interface CancelConnection extends NodeJS.EventEmitter {
  readonly stream: { destroy(): void };
  connect(port: number | string, host?: string): void;
  requestSsl(): void;
  cancel(processId: number, secretKey: number): void;
}

const Connection = (
  pg as unknown as {
    Connection: new (options: { ssl: ConnectedClient['ssl'] }) => CancelConnection;
  }
).Connection;

const PATIENCE_MILLIS = 2_000;

/**
 * Asks the server to cancel the running statement of a connection. Settles when the server has
 * received the request, and never fails. Until then the connection must not begin another
 * statement, since the server would cancel that one.
 *
 * It sends the cancel request of the PostgreSQL protocol on a new connection: this needs no
 * connection of the pool and no slot of the server, and works through poolers.
 */
export function cancelStatement(client: pg.PoolClient): Promise<void> {
  const { host, port, ssl, processID, secretKey } = client as unknown as ConnectedClient;
  if (processID === null || secretKey === null) return Promise.resolve();
  return new Promise((resolve) => {
    const connection = new Connection({ ssl });
    const end = (): void => {
      clearTimeout(timer);
      connection.stream.destroy();
      resolve();
    };
    const timer = setTimeout(end, PATIENCE_MILLIS);
    const send = (): void => {
      connection.cancel(processID, secretKey);
    };
    // The server closes it as soon as it has passed the request on.
    connection.once('end', end);
    connection.on('error', end);
    connection.once('sslconnect', send);
    connection.once('connect', () => {
      if (ssl === false) send();
      else connection.requestSsl();
    });
    if (host.startsWith('/')) connection.connect(`${host}/.s.PGSQL.${String(port)}`);
    else connection.connect(port, host);
  });
}
