import type { Root } from '../graph/permissions.js';
import type { IconName } from '../parts/icon.js';
import { texts } from '../texts.js';

export interface NavigationItem {
  readonly path: string;
  readonly title: string;
  readonly icon: IconName;
  /** What the page reads: it is offered to those who may. */
  readonly needs?: readonly [Root, string];
  /** The second key after `g`. */
  readonly key?: string;
}

export interface NavigationGroup {
  readonly title?: string;
  readonly items: readonly NavigationItem[];
}

export const NAVIGATION: readonly NavigationGroup[] = [
  { items: [{ path: '/', title: texts.pages.overview, icon: 'overview', key: 'o' }] },
];
