import type { ComponentType } from 'react';
import { description, type Kind } from '../description/description.js';
import { wordsOf } from '../description/names.js';
import { DraftBadge } from '../parts/draft-badge.js';
import { WaitingBadge } from '../parts/waiting-badge.js';
import type { Root } from '../graph/permissions.js';
import type { IconName } from '../parts/icon.js';
import { texts } from '../texts.js';

export interface NavigationItem {
  readonly path: string;
  readonly title: string;
  readonly icon?: IconName;
  /** What the page reads: it is offered to those who may. */
  readonly needs?: readonly [Root, string];
  /** The second key after `g`. */
  readonly key?: string;
  /** Stands behind the title. */
  readonly Badge?: ComponentType;
}

export interface NavigationGroup {
  readonly title?: string;
  readonly items: readonly NavigationItem[];
}

/** Lists by what they are about, with their keys; the others come last. */
const LISTS: readonly (readonly [title: string, lists: Readonly<Record<string, string>>])[] = [
  [
    texts.groups.access,
    {
      identities: 'i',
      services: 's',
      servicePolicies: 'p',
      accessRules: '',
      accessReviews: '',
      accessOffers: '',
      accessRequests: '',
      postureChecks: '',
      configs: '',
      configTypes: '',
    },
  ],
  [
    texts.groups.network,
    {
      edgeRouters: 'r',
      transitRouters: '',
      edgeRouterPolicies: '',
      serviceEdgeRouterPolicies: '',
      terminators: '',
      links: '',
      circuits: 't',
      controllers: '',
    },
  ],
  [
    texts.groups.logins,
    {
      apiSessions: 'a',
      sessions: '',
      authenticators: '',
      authPolicies: '',
      enrollments: 'e',
      certificateAuthorities: '',
      externalJwtSigners: '',
      apiSessionCertificates: '',
      revocations: '',
      controllerSettings: '',
    },
  ],
];

/** Views of other kinds for clients, fixed lists, and what has a page of its own. */
const WITHOUT_LIST = new Set([
  'AuthenticationSigner',
  'Change',
  'ClientEdgeRouter',
  'ClientTerminator',
  'FindingMute',
  'IdentityType',
  'PostureCheckType',
  'Router',
]);

const listItem = ({ list }: Kind, key?: string): NavigationItem => ({
  path: `/entities/${list}`,
  title: wordsOf(list),
  needs: ['Query', list],
  ...(key ? { key } : {}),
});

const kinds = Object.values(description.kinds);

const groupsOfLists: readonly NavigationGroup[] = LISTS.map(([title, lists]) => ({
  title,
  items: Object.entries(lists).flatMap(([list, key]) =>
    kinds.filter((kind) => kind.list === list).map((kind) => listItem(kind, key)),
  ),
}));

const grouped = new Set(groupsOfLists.flatMap(({ items }) => items.map(({ path }) => path)));

const others = kinds
  .filter(({ type }) => !WITHOUT_LIST.has(type))
  .map((kind) => listItem(kind))
  .filter(({ path }) => !grouped.has(path));

export const NAVIGATION: readonly NavigationGroup[] = [
  {
    items: [
      { path: '/', title: texts.pages.overview, icon: 'overview', key: 'o' },
      {
        path: '/my-access',
        title: texts.pages.myAccess,
        icon: 'myAccess',
        key: 'y',
        needs: ['Query', 'myAccess'],
        Badge: WaitingBadge,
      },
      {
        path: '/map',
        title: texts.pages.map,
        icon: 'map',
        key: 'm',
        needs: ['Query', 'accessMap'],
      },
      {
        path: '/ask',
        title: texts.pages.ask,
        icon: 'ask',
        key: 'q',
        needs: ['Query', 'accesses'],
      },
      {
        path: '/findings',
        title: texts.pages.findings,
        icon: 'findings',
        key: 'f',
        needs: ['Query', 'findings'],
      },
      {
        path: '/traffic',
        title: texts.pages.traffic,
        icon: 'traffic',
        key: 'n',
        needs: ['Query', 'circuits'],
      },
      {
        path: '/changes',
        title: texts.pages.changes,
        icon: 'changes',
        key: 'c',
        needs: ['Query', 'changes'],
      },
      {
        path: '/draft',
        title: texts.pages.draft,
        icon: 'draft',
        key: 'd',
        needs: ['Query', 'simulate'],
        Badge: DraftBadge,
      },
    ],
  },
  ...groupsOfLists,
  { title: texts.groups.others, items: others },
];
