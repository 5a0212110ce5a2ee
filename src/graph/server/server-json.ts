import { text, type Request, type RequestHandler } from 'express';
import { parseJson, type JsonTextOptions } from '../../base/json-text.js';

/** Calls `parse` for a body of `length` characters, with work before and after it. */
export type ParseAround = (request: Request, length: number, parse: () => unknown) => unknown;

interface JsonBodyOptions extends JsonTextOptions {
  readonly around?: ParseAround;
}

/** Reads a JSON body of at most `limit` bytes into `request.body`; it stays undefined for others. */
export function jsonBody(
  limit: number | string,
  { around = (_request, _length, parse) => parse(), ...options }: JsonBodyOptions = {},
): RequestHandler {
  // The parser of the library has no limit of depth.
  const readText = text({ limit, type: 'application/json' });
  return (request, response, next) => {
    readText(request, response, (fault?: unknown) => {
      const body: unknown = request.body;
      if (fault !== undefined || typeof body !== 'string') {
        next(fault);
        return;
      }
      try {
        request.body =
          body === '' ? {} : around(request, body.length, () => parseJson(body, options));
        next();
      } catch (error) {
        next(error);
      }
    });
  };
}
