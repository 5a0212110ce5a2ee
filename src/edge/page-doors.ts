import { firstSegments, type RestRow } from '../../rest-compat/index.js';
import { OIDC_PATH } from '../trust/oidc/index.js';
import { CONSOLE_FOLDER, CONSOLE_PATH, consoleDoor } from './console-door.js';
import type { LoginOrigins } from './login-origins.js';
import { DEVICES } from './devices/device-interface.js';
import { SCIM } from './scim/scim-interface.js';
import { spaDoor } from './spa-door.js';
import type { SpaFolder } from './spa-folders.js';
import type { PageDoor } from './static-files.js';

/** First segments of paths that are not operations of the REST interfaces. */
export const NON_REST = ['graphql', 'graphiql', 'docs', 'assets'] as const;

export interface PageDoorOptions {
  readonly spas: readonly SpaFolder[];
  /** From which these may load images, styles and fonts. */
  readonly assetOrigins: readonly string[];
  readonly rows: readonly RestRow[];
  readonly operatorPaths: readonly string[];
  readonly loginOrigins: LoginOrigins;
}

/** The console, and the applications of others at paths that are free. */
export function pageDoors(options: PageDoorOptions): readonly PageDoor[] {
  const { spas, assetOrigins, rows, operatorPaths, loginOrigins } = options;
  const paths = [CONSOLE_PATH, ...operatorPaths].map((path) => path.split('/')[1] ?? '');
  const taken = new Set([
    ...NON_REST,
    ...paths,
    OIDC_PATH.slice(1),
    SCIM.path.slice(1),
    DEVICES.path.slice(1),
    ...firstSegments(rows),
  ]);
  const applications = spas.map((spa) => spaDoor({ ...spa, taken, loginOrigins, assetOrigins }));
  return [consoleDoor(CONSOLE_FOLDER, loginOrigins), ...applications].filter(
    (door) => door !== undefined,
  );
}
