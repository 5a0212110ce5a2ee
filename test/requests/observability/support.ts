import type { ChildProcess } from 'node:child_process';

/** A line that a controller logs about a request. */
export interface RequestLine {
  readonly level: number;
  readonly msg: string;
  readonly method: string;
  readonly route: string;
  readonly operation: string;
  readonly fields?: readonly string[];
  readonly name?: string;
  readonly status: number;
  readonly ms: number;
  readonly requestId: string;
  readonly identityId?: string;
  readonly address: string;
}

/** pino's numbers. */
export const LEVELS = { debug: 20, info: 30, warn: 40, error: 50 } as const;

/** Keeps what a controller logs from now on. */
export class LogReader {
  text = '';

  constructor({ stdout }: ChildProcess) {
    stdout?.on('data', (chunk: Buffer) => (this.text += chunk.toString()));
  }

  get lines(): Record<string, unknown>[] {
    return this.text
      .split('\n')
      .filter((line) => line.startsWith('{') && line.endsWith('}'))
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  /** The line of one request, once it is there; throws before. */
  request(requestId: unknown): RequestLine {
    const line = this.lines.find((l) => l.msg === 'request' && l.requestId === requestId);
    if (!line) throw new Error(`no line of request ${String(requestId)}`);
    return line as unknown as RequestLine;
  }
}

/** Metric with its labels, as the text format writes it -> value. */
export function metricsIn(text: string): Map<string, number> {
  return new Map(
    text
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => {
        const at = line.lastIndexOf(' ');
        return [line.slice(0, at), Number(line.slice(at + 1))];
      }),
  );
}
