import { createRootRoute, createRoute, createRouter, Link } from '@tanstack/react-router';
import { askSearch } from '../addresses/ask-search.js';
import { listSearch } from '../addresses/list-search.js';
import { idOf, textOf } from '../addresses/address-values.js';
import { lazyPart, LoadAgain } from '../parts/lazy-part.js';
import { PageHeading } from '../parts/page-heading.js';
import { findingsSearch } from '../addresses/findings-search.js';
import { mapSearch } from '../addresses/map-search.js';
import { myAccessSearch } from '../addresses/my-access-search.js';
import { trafficSearch } from '../addresses/traffic-search.js';
import { texts } from '../texts.js';
import { Shell } from './shell.js';

const root = createRootRoute({
  component: Shell,
  notFoundComponent: NotFound,
  errorComponent: Crash,
});

const overview = createRoute({
  getParentRoute: () => root,
  path: '/',
  component: lazyPart(
    async () => (await import('../pages/overview/overview-page.js')).OverviewPage,
  ),
});

const ask = createRoute({
  getParentRoute: () => root,
  path: '/ask',
  validateSearch: askSearch,
  component: lazyPart(async () => (await import('../pages/ask/ask-page.js')).AskPage),
});

const findings = createRoute({
  getParentRoute: () => root,
  path: '/findings',
  validateSearch: findingsSearch,
  component: lazyPart(
    async () => (await import('../pages/findings/findings-page.js')).FindingsPage,
  ),
});

const map = createRoute({
  getParentRoute: () => root,
  path: '/map',
  validateSearch: mapSearch,
  component: lazyPart(async () => (await import('../pages/map/map-page.js')).MapPage),
});

const traffic = createRoute({
  getParentRoute: () => root,
  path: '/traffic',
  validateSearch: trafficSearch,
  component: lazyPart(async () => (await import('../pages/traffic/traffic-page.js')).TrafficPage),
});

const list = createRoute({
  getParentRoute: () => root,
  path: '/entities/$list',
  validateSearch: listSearch,
  component: lazyPart(async () => (await import('../pages/entities/list-page.js')).ListPage),
});

const entity = createRoute({
  getParentRoute: () => root,
  path: '/entities/$list/$id',
  validateSearch: ({ tab }): { tab?: string | undefined } => ({ tab: textOf(tab) }),
  component: lazyPart(async () => (await import('../pages/entities/entity-page.js')).EntityPage),
});

const create = createRoute({
  getParentRoute: () => root,
  path: '/create/$list',
  component: lazyPart(async () => (await import('../pages/entities/form-page.js')).CreatePage),
});

const edit = createRoute({
  getParentRoute: () => root,
  path: '/edit/$list/$id',
  component: lazyPart(async () => (await import('../pages/entities/form-page.js')).EditPage),
});

const draft = createRoute({
  getParentRoute: () => root,
  path: '/draft',
  component: lazyPart(async () => (await import('../pages/draft/draft-page.js')).DraftPage),
});

const startReview = createRoute({
  getParentRoute: () => root,
  path: '/reviews/new',
  component: lazyPart(async () => (await import('../pages/reviews/start-page.js')).StartReviewPage),
});

const account = createRoute({
  getParentRoute: () => root,
  path: '/account',
  component: lazyPart(async () => (await import('../pages/account/account-page.js')).AccountPage),
});

const myAccess = createRoute({
  getParentRoute: () => root,
  path: '/my-access',
  validateSearch: myAccessSearch,
  component: lazyPart(
    async () => (await import('../pages/my-access/my-access-page.js')).MyAccessPage,
  ),
});

const changes = createRoute({
  getParentRoute: () => root,
  path: '/changes',
  validateSearch: ({ filter }): { filter?: string | undefined } => ({ filter: textOf(filter) }),
  component: lazyPart(async () => (await import('../pages/changes/changes-page.js')).ChangesPage),
});

const search = createRoute({
  getParentRoute: () => root,
  path: '/search',
  validateSearch: ({ text }): { text?: string | undefined } => ({ text: idOf(text) }),
  component: lazyPart(async () => (await import('../pages/search/search-page.js')).SearchPage),
});

export const router = createRouter({
  basepath: '/console',
  routeTree: root.addChildren([
    overview,
    map,
    ask,
    findings,
    traffic,
    list,
    entity,
    create,
    edit,
    draft,
    startReview,
    account,
    myAccess,
    changes,
    search,
  ]),
  defaultPreload: false,
  // A fault of a page leaves the menu beside it.
  defaultErrorComponent: Crash,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}

function NotFound() {
  return (
    <div className="stack">
      <PageHeading text={texts.shell.notFound} />
      <Link to="/">{texts.shell.home}</Link>
    </div>
  );
}

function Crash() {
  return (
    <div className="stack">
      <div className="notice bad" role="alert">
        {texts.failure.crash}
      </div>
      <div>
        <LoadAgain />
      </div>
    </div>
  );
}
