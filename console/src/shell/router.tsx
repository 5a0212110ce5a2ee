import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Link,
} from '@tanstack/react-router';
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
  component: lazyRouteComponent(() => import('../pages/overview/overview-page.js'), 'OverviewPage'),
});

export const router = createRouter({
  basepath: '/console',
  routeTree: root.addChildren([overview]),
  defaultPreload: false,
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}

function NotFound() {
  return (
    <div className="stack">
      <h1>{texts.shell.notFound}</h1>
      <Link to="/">{texts.shell.home}</Link>
    </div>
  );
}

function Crash() {
  return (
    <div className="notice bad" role="alert">
      {texts.failure.crash}
    </div>
  );
}
