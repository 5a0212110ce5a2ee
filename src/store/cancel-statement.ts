import pg from 'pg';

/** What the driver has and does not declare. */
interface Wired {
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
  pg as unknown as { Connection: new (options: { ssl: Wired['ssl'] }) => CancelConnection }
).Connection;

const PATIENCE_MILLIS = 2_000;

/**
 * Has the server break off the statement that a connection waits for. Settles when the server took
 * the request, and never fails: until then the connection must not begin another statement, which
 * would be the one that is cancelled.
 *
 * It is the cancel request of the protocol on a connection of its own: it needs no place in the
 * pool and no slot of the server, and goes through poolers.
 */
export function cancelStatement(client: pg.PoolClient): Promise<void> {
  const { host, port, ssl, processID, secretKey } = client as unknown as Wired;
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
