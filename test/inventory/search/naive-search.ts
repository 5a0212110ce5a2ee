import type pg from 'pg';
import { compareBytes } from '../../../src/base/byte-order.js';

/** The rules of searches in their plainest form, on the rows of the database. */

export interface NaiveHit {
  readonly type: string;
  readonly entityId: string;
  readonly name: string | null;
  readonly matchedBy: string;
  /** The texts that match equally well, with the names of their tags. */
  readonly matching: readonly { readonly matchedText: string; readonly tag: string | null }[];
}

interface Kind {
  readonly table: string;
  readonly where?: string;
  readonly isNameless?: true;
  readonly externalIds?: readonly string[];
  readonly roles?: readonly string[];
}

/** The kinds to be found, and the columns beside the id, the name and tags by which they are. */
const KINDS: Readonly<Record<string, Kind>> = {
  AccessRule: { table: 'access_rule', roles: ['identity_roles', 'service_roles'] },
  AuthPolicy: { table: 'auth_policy' },
  CertificateAuthority: { table: 'certificate_authority', externalIds: ['fingerprint'] },
  Config: { table: 'config' },
  ConfigType: { table: 'config_type' },
  EdgeRouter: {
    table: 'router',
    where: 'is_edge',
    externalIds: ['fingerprint'],
    roles: ['role_attributes'],
  },
  EdgeRouterPolicy: { table: 'edge_router_policy', roles: ['identity_roles', 'edge_router_roles'] },
  ExternalJwtSigner: { table: 'external_jwt_signer', externalIds: ['issuer', 'fingerprint'] },
  Identity: { table: 'identity', externalIds: ['external_id'], roles: ['role_attributes'] },
  PostureCheck: { table: 'posture_check', roles: ['role_attributes'] },
  Service: { table: 'service', roles: ['role_attributes'] },
  ServiceEdgeRouterPolicy: {
    table: 'service_edge_router_policy',
    roles: ['service_roles', 'edge_router_roles'],
  },
  ServicePolicy: {
    table: 'service_policy',
    roles: ['identity_roles', 'service_roles', 'posture_check_roles'],
  },
  Terminator: { table: 'terminator', isNameless: true, externalIds: ['address', 'identity'] },
  TransitRouter: { table: 'router', where: 'not is_edge', externalIds: ['fingerprint'] },
};

export const ALL_TYPES = Object.keys(KINDS);

interface Text {
  readonly by: string;
  readonly text: string;
  readonly tag?: string;
}

interface Entity {
  readonly type: string;
  readonly id: string;
  readonly name: string | null;
  readonly texts: readonly Text[];
}

type Row = Readonly<Record<string, unknown>> & { readonly id: string; readonly name?: string };

/** All entities of the database with the texts by which they are found. */
export async function entitiesIn(pool: pg.Pool): Promise<Entity[]> {
  const entities: Entity[] = [];
  for (const [type, { table, where = 'true', ...kind }] of Object.entries(KINDS)) {
    const { rows } = await pool.query<Row>(`select * from "${table}" where ${where}`);
    for (const row of rows) {
      const name = kind.isNameless ? null : String(row.name);
      entities.push({ type, id: row.id, name, texts: textsOf(row, name, kind) });
    }
  }
  return entities;
}

function textsOf(row: Row, name: string | null, { externalIds = [], roles = [] }: Partial<Kind>) {
  const texts: Text[] = [{ by: 'ID', text: row.id }];
  if (name !== null) texts.push({ by: 'NAME', text: name });
  for (const column of externalIds) {
    const text = row[column];
    if (typeof text === 'string') texts.push({ by: 'EXTERNAL_ID', text });
  }
  for (const role of roles.flatMap((column) => row[column] as string[])) {
    texts.push({ by: 'ROLE_ATTRIBUTE', text: /^[#@]/.test(role) ? role : `#${role}` });
  }
  for (const [tag, value] of Object.entries(row.tags as object)) {
    texts.push({ by: 'TAG', text: tag, tag });
    if (typeof value === 'string') texts.push({ by: 'TAG', text: value, tag });
  }
  return texts;
}

/** Upper case as the filter language has it. */
async function uppers(pool: pg.Pool, texts: readonly string[]): Promise<Map<string, string>> {
  const { rows } = await pool.query<{ text: string; upper: string }>(
    `select text, upper(text collate "pg_c_utf8") as upper from unnest($1::text[]) text`,
    [texts],
  );
  return new Map(rows.map(({ text, upper }) => [text, upper]));
}

/** All hits in order. */
export async function naiveSearch(
  pool: pg.Pool,
  entities: readonly Entity[],
  text: string,
  types = ALL_TYPES,
): Promise<NaiveHit[]> {
  const sought = text.trim();
  const all = entities.flatMap(({ texts }) => texts.map((one) => one.text));
  const upper = await uppers(pool, [sought, ...new Set(all)]);
  const upperOf = (one: string): string => upper.get(one) ?? '';
  const hits = entities
    .filter(({ type }) => types.includes(type))
    .flatMap((entity) => {
      const ranked = entity.texts
        .map((one) => ({ ...one, rank: rankOf(one.by, upperOf(one.text), upperOf(sought)) }))
        .filter(({ rank }) => rank > 0);
      const [best] = ranked.toSorted((a, b) => a.rank - b.rank || order(a.by) - order(b.by));
      if (!best) return [];
      const matching = ranked
        .filter(({ rank, by }) => rank === best.rank && by === best.by)
        .map(({ text: matchedText, tag = null }) => ({ matchedText, tag }));
      return [{ entity, best, matching }];
    });
  return hits
    .toSorted(
      (a, b) =>
        a.best.rank - b.best.rank ||
        compareBytes(a.entity.name ?? '', b.entity.name ?? '') ||
        compareBytes(a.entity.id, b.entity.id) ||
        compareBytes(a.entity.type, b.entity.type),
    )
    .map(({ entity: { type, id, name }, best, matching }) => ({
      type,
      entityId: id,
      name,
      matchedBy: best.by,
      matching,
    }));
}

const order = (by: string): number =>
  ['ID', 'NAME', 'EXTERNAL_ID', 'ROLE_ATTRIBUTE', 'TAG'].indexOf(by);

/** From 1, the best; 0 for no match. */
function rankOf(by: string, text: string, sought: string): number {
  if (!text.includes(sought)) return 0;
  if (by === 'ID' && text === sought) return 1;
  if (by === 'NAME') return rankOfName(text, sought);
  const isNamed = by === 'EXTERNAL_ID' || by === 'ROLE_ATTRIBUTE';
  const isWhole = [sought, `#${sought}`, `@${sought}`].includes(text);
  return isNamed && isWhole ? 3 : 7;
}

function rankOfName(name: string, sought: string): number {
  if (name === sought) return 2;
  if (name.startsWith(sought)) return 4;
  const characters = Array.from(name);
  const isAtWord = characters.some((_, i) => {
    const before = characters[i - 1] ?? '';
    return characters.slice(i).join('').startsWith(sought) && !/[\p{L}\p{M}\p{N}]/u.test(before);
  });
  return isAtWord ? 5 : 6;
}
