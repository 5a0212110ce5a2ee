import type { JsonObject } from '../../base/row.js';
import type { RequestContext } from '../request/context.js';
import type { Compute, Secret } from './attribute.js';
import type { ResourceName, SelectedOf } from './rows.js';

type Attributes<N extends ResourceName> = Required<SelectedOf<N>>;

/** The requested attributes of a row; the id is always one of them. */
type RequestedAttributes<N extends ResourceName, K extends keyof Attributes<N>> = Pick<
  Attributes<N>,
  K | ('id' & keyof Attributes<N>)
>;

/**
 * Declares a computed attribute and the attributes that it needs; its rows have only those:
 * `computeFrom<'Identity'>()(['disabledAt'], (rows) => …)`.
 */
export const computeFrom =
  <N extends ResourceName>() =>
  <K extends keyof Attributes<N> & string>(
    needs: readonly K[],
    values: (
      rows: readonly RequestedAttributes<N, K>[],
      ctx: RequestContext,
      options: JsonObject,
    ) => ReturnType<Compute['values']>,
  ): Compute => ({ needs, values: values as Compute['values'] });

/** Declares the rule of a secret and the attributes that it needs; its rows have only those. */
export const secretFrom =
  <N extends ResourceName>() =>
  <K extends keyof Attributes<N> & string>(
    needs: readonly K[],
    isShown: (
      rows: readonly RequestedAttributes<N, K>[],
      ctx: RequestContext,
    ) => ReturnType<Secret['isShown']>,
    redacted?: Secret['redacted'],
  ): Secret => ({
    needs,
    isShown: isShown as Secret['isShown'],
    ...(redacted && { redacted }),
  });
