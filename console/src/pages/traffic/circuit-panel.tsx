import { Button } from '@mantine/core';
import { useState } from 'react';
import { wordsOf } from '../../description/names.js';
import { EntityLink } from '../../parts/entity-link.js';
import { FailureNotice } from '../../parts/failure-notice.js';
import { Instant } from '../../parts/instant.js';
import { Panel } from '../../parts/panel.js';
import { useMay } from '../../graph/caller-context.js';
import { texts } from '../../texts.js';
import { Bytes } from './bytes.js';
import type { Circuit, CircuitState } from './circuits.js';
import { CloseButton } from './close-button.js';
import { EndCircuitDialog } from './end-circuit-dialog.js';
import { Facts } from './facts.js';
import { WayList } from './way.js';

interface CircuitPanelProps {
  readonly state: CircuitState;
  readonly close: () => void;
}

/** The chosen circuit in words. */
export function CircuitPanel({ state: { circuit, isEnded, failure }, close }: CircuitPanelProps) {
  const text = isEnded ? texts.traffic.ended : texts.loading;
  return (
    <Panel title={wordsOf('Circuit')} aside={<CloseButton close={close} />}>
      <FailureNotice failure={failure} />
      <div role="status" className="dim">
        {circuit || failure ? '' : text}
      </div>
      {circuit ? <ChosenCircuit circuit={circuit} /> : null}
    </Panel>
  );
}

function ChosenCircuit({ circuit }: { circuit: Circuit }) {
  const may = useMay();
  const [isAsking, setAsking] = useState(false);
  const { id, identityId, identity, serviceId, service, hostId, host, terminatorId } = circuit;
  return (
    <div className="stack">
      <Facts
        facts={[
          [wordsOf('id'), <code key="id">{id}</code>],
          [
            wordsOf('Identity'),
            <EntityLink key="identity" type="Identity" id={identityId} name={identity?.name} />,
          ],
          [
            wordsOf('Service'),
            <EntityLink key="service" type="Service" id={serviceId} name={service?.name} />,
          ],
          [
            texts.traffic.host,
            hostId === '' ? (
              texts.none
            ) : (
              <EntityLink key="host" type="Identity" id={hostId} name={host?.name} />
            ),
          ],
          [
            wordsOf('Terminator'),
            <EntityLink key="terminator" type="Terminator" id={terminatorId} />,
          ],
          [texts.traffic.since, <Instant key="since" at={circuit.createdAt} />],
          [texts.traffic.sent, <Bytes key="sent" count={circuit.sentBytes} />],
          [texts.traffic.received, <Bytes key="received" count={circuit.receivedBytes} />],
        ]}
      />
      <h3>{texts.traffic.way}</h3>
      <WayList way={circuit.path} />
      {may('Mutation', 'deleteCircuit') ? (
        <div className="row">
          <Button
            variant="default"
            onClick={() => {
              setAsking(true);
            }}
          >
            {texts.traffic.end}
          </Button>
        </div>
      ) : null}
      {isAsking ? (
        <EndCircuitDialog
          circuit={circuit}
          close={() => {
            setAsking(false);
          }}
        />
      ) : null}
    </div>
  );
}
