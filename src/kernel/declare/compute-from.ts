import type { JsonObject } from '../../base/row.js';
import type { RequestContext } from '../request/context.js';
import type { Compute, Secret } from './attribute.js';
import type { ResourceName, RowOf } from './rows.js';

/** The attributes of a row that were asked for; the id always is. */
type Part<N extends ResourceName, K extends keyof RowOf<N>> = Pick<
  RowOf<N>,
  K | ('id' & keyof RowOf<N>)
>;

/**
 * Fills a computed attribute from rows of a resource that have what it needs, and nothing else:
 * `computeFrom<'Identity'>()(['disabledAt'], (rows) => …)`.
 */
export const computeFrom =
  <N extends ResourceName>() =>
  <K extends keyof RowOf<N> & string>(
    needs: readonly K[],
    values: (
      rows: readonly Part<N, K>[],
      ctx: RequestContext,
      options: JsonObject,
    ) => ReturnType<Compute['values']>,
  ): Compute => ({ needs, values: values as Compute['values'] });

/** Decides about a secret of rows of a resource that have what it needs, and nothing else. */
export const secretFrom =
  <N extends ResourceName>() =>
  <K extends keyof RowOf<N> & string>(
    needs: readonly K[],
    isShown: (rows: readonly Part<N, K>[], ctx: RequestContext) => ReturnType<Secret['isShown']>,
    redacted?: Secret['redacted'],
  ): Secret => ({
    needs,
    isShown: isShown as Secret['isShown'],
    ...(redacted && { redacted }),
  });
