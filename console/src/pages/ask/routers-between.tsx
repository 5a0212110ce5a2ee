import { Fragment } from 'react';
import { texts } from '../../texts.js';
import { wordsOf } from '../../description/names.js';
import { EntityLink } from '../../parts/entity-link.js';
import { PolicyLinks } from '../../parts/entity-links.js';
import { OtherMembers } from '../../parts/other-members.js';
import { Panel } from '../../parts/panel.js';
import { PlainTable } from '../../parts/plain-table.js';
import type { Explanation } from '../../parts/access/pair.js';
import { isCommon, routersOfPair, type RouterOfPair } from '../../parts/access/routers-of-pair.js';

type Routers = Explanation['routers'];

const MAX_SHOWN = 50;

/** The edge routers of both sides, those that both may use first. */
export function RoutersBetween({ routers }: { routers: Routers }) {
  const all = routersOfPair(routers);
  const common = all.filter(isCommon);
  const shown = [...common, ...all.filter((router) => !isCommon(router))].slice(0, MAX_SHOWN);
  return (
    <Panel
      title={texts.ask.routers}
      aside={<span className="dim">{texts.ask.commonRouters(common.length)}</span>}
    >
      {all.length === 0 ? (
        <span className="dim">{texts.ask.noRouters}</span>
      ) : (
        <PlainTable
          label={texts.ask.routers}
          heads={[
            wordsOf('EdgeRouter'),
            texts.ask.state,
            texts.ask.forBoth,
            texts.ask.forIdentity,
            texts.ask.forService,
          ]}
          rows={shown.map((router) => [
            router.routerId,
            [
              <Fragment key="router">
                <EntityLink type="EdgeRouter" id={router.routerId} name={router.routerName} />
                <OtherMembers values={router} shown={SHOWN} />
              </Fragment>,
              <State key="state" router={router} />,
              isCommon(router) ? texts.yes : texts.no,
              <PolicyLinks key="identity" type="EdgeRouterPolicy" policies={router.byIdentity} />,
              <PolicyLinks
                key="service"
                type="ServiceEdgeRouterPolicy"
                policies={router.byService}
              />,
            ],
          ])}
        />
      )}
      {all.length > MAX_SHOWN ? (
        <div className="dim">{texts.ask.moreRouters(all.length - MAX_SHOWN)}</div>
      ) : null}
    </Panel>
  );
}

const SHOWN = [
  'routerId',
  'routerName',
  'isOnline',
  'isDisabled',
  'byIdentity',
  'byService',
] as const;

/** Only the present state is known. */
function State({ router: { isOnline, isDisabled } }: { router: RouterOfPair }) {
  const { online, offline, disabled } = texts.overview.routerStates;
  if (isOnline === null) return <>{texts.none}</>;
  if (isDisabled === true) return <span className="tag warn">{disabled}</span>;
  return <span className={`tag ${isOnline ? 'good' : 'bad'}`}>{isOnline ? online : offline}</span>;
}
