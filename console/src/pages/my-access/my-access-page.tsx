import { Tabs } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { ACCESS_VIEWS, type AccessView } from '../../addresses/my-access-search.js';
import { PageHeading } from '../../parts/page-heading.js';
import { texts } from '../../texts.js';
import { Decisions } from './decisions.js';
import { Offers } from './offers.js';
import { OwnRequests } from './own-requests.js';
import { OwnServices } from './own-services.js';
import { useAccessRounds, type AccessRounds } from './use-access-rounds.js';

const route = getRouteApi('/my-access');

/** The access of the caller, the offers to it, and the requests of others on which it decides. */
export function MyAccessPage() {
  const { view: shown = 'services' } = route.useSearch();
  const navigate = route.useNavigate();
  const rounds = useAccessRounds();
  const show = (next: string | null): void => {
    const view = ACCESS_VIEWS.find((each) => each === next);
    void navigate({ search: { view: view === 'services' ? undefined : view }, replace: true });
  };
  return (
    <div className="stack fill">
      <PageHeading text={texts.pages.myAccess} />
      <Tabs className="fill" keepMounted={false} value={shown} onChange={show}>
        <Tabs.List aria-label={texts.pages.myAccess}>
          {ACCESS_VIEWS.map((view) => (
            <Tabs.Tab key={view} value={view}>
              {texts.myAccess.views[view]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {ACCESS_VIEWS.map((view) => {
          const Content = CONTENTS[view];
          return (
            <Tabs.Panel key={view} value={view} className="tab fill stack">
              <Content {...rounds} />
            </Tabs.Panel>
          );
        })}
      </Tabs>
    </div>
  );
}

const CONTENTS: Readonly<Record<AccessView, ComponentType<AccessRounds>>> = {
  services: OwnServices,
  offers: Offers,
  requests: OwnRequests,
  decisions: Decisions,
};
