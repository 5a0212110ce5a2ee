import type { Rows } from '../../../kernel/request/store-port.js';
import type { Selected } from '../../prisma/models.js';

/** The id of the settings of all controllers. */
export const GLOBAL = 'global';

const SETTINGS = { id: true, oidc: true } as const;

/** The settings of a controller, or of all. */
type StoredSettings = Selected<'ControllerSetting', typeof SETTINGS>;

export const ofSome = (rows: Rows, ids: readonly string[]): Promise<StoredSettings[]> =>
  rows.readModel((models) =>
    models.controllerSetting.findMany({ where: { id: { in: [...ids] } }, select: SETTINGS }),
  );

export const isController = async (rows: Rows, id: string): Promise<boolean> =>
  (await rows.readModel((models) => models.controller.count({ where: { id } }))) > 0;
