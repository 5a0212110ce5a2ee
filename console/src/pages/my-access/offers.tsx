import { Button, NumberInput, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { wordsOfValue } from '../../description/names.js';
import {
  AskForAccess,
  OffersForCaller,
  type OffersForCallerResult,
} from '../../emitted/operations.js';
import { ask } from '../../graph/ask.js';
import { useAttempt } from '../../graph/use-attempt.js';
import { useLiveRows } from '../../graph/use-live.js';
import type { PartWanted } from '../../graph/use-rows.js';
import { Dialog } from '../../parts/dialog.js';
import { FailureNotice } from '../../parts/failure-notice.js';
import { LongTable, type Column } from '../../parts/long-table.js';
import { texts } from '../../texts.js';
import type { AccessRounds } from './use-access-rounds.js';

type Offer = NonNullable<OffersForCallerResult['accessOffers']>['nodes'][number];

const FIRST_MINUTES = 60;

/** The offers to the caller, with a form to ask. */
export function Offers({ round, changed }: AccessRounds) {
  const [chosen, setChosen] = useState<Offer>();
  const rows = useLiveRows('offers', readOffers, round);
  return (
    <>
      <p className="dim">{texts.myAccess.offersHelp}</p>
      <LongTable label={texts.myAccess.views.offers} columns={columnsOf(setChosen)} rows={rows} />
      {chosen ? (
        <AskDialog
          offer={chosen}
          asked={changed}
          close={() => {
            setChosen(undefined);
          }}
        />
      ) : null}
    </>
  );
}

const columnsOf = (choose: (offer: Offer) => void): readonly Column<Offer>[] => [
  {
    name: 'offer',
    title: texts.myAccess.offer,
    width: 'minmax(10rem, 1fr)',
    show: ({ name }) => name,
  },
  {
    name: 'description',
    title: texts.myAccess.description,
    width: 'minmax(10rem, 2fr)',
    show: ({ description }) => description ?? texts.none,
  },
  {
    name: 'longest',
    title: texts.myAccess.longest,
    width: '8rem',
    show: ({ maxMinutes }) => texts.myAccess.inMinutes(maxMinutes),
  },
  {
    name: 'approval',
    title: texts.myAccess.approval,
    width: '7rem',
    show: ({ approval }) => wordsOfValue(approval),
  },
  {
    name: 'secondFactor',
    title: texts.myAccess.secondFactor,
    width: '7rem',
    show: ({ secondFactor }) => (secondFactor === 'NONE' ? texts.none : wordsOfValue(secondFactor)),
  },
  {
    name: 'action',
    title: texts.myAccess.action,
    width: '7rem',
    show: (offer) => (
      <button
        type="button"
        className="link"
        aria-label={texts.myAccess.askFor(offer.name)}
        onClick={() => {
          choose(offer);
        }}
      >
        {texts.myAccess.ask}
      </button>
    ),
  },
];

interface AskDialogProps {
  readonly offer: Offer;
  readonly asked: () => void;
  readonly close: () => void;
}

function AskDialog({ offer, asked, close }: AskDialogProps) {
  const { id: offerId, name, maxMinutes } = offer;
  const minutes = Math.min(FIRST_MINUTES, maxMinutes);
  const form = useForm<{ reason: string; minutes: number | string }>({
    initialValues: { reason: '', minutes },
  });
  const { isBusy, failure, attempt } = useAttempt();
  const submit = form.onSubmit((given) => {
    attempt(async () => {
      await ask(AskForAccess, { offerId, reason: given.reason, minutes: Number(given.minutes) });
      asked();
      close();
    });
  });
  return (
    <Dialog close={close} title={texts.myAccess.askFor(name)}>
      <form className="stack" onSubmit={submit}>
        <TextInput
          label={texts.myAccess.reason}
          data-autofocus
          required
          maxLength={500}
          {...form.getInputProps('reason')}
        />
        <NumberInput
          label={texts.myAccess.minutes}
          description={texts.myAccess.minutesHelp(maxMinutes)}
          required
          min={1}
          max={maxMinutes}
          allowDecimal={false}
          {...form.getInputProps('minutes')}
        />
        <FailureNotice failure={failure} />
        <div className="row end">
          <Button type="submit" loading={isBusy}>
            {texts.myAccess.send}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

async function readOffers({ offset, first, signal }: PartWanted) {
  const { accessOffers } = await ask(OffersForCaller, { first, offset }, { signal });
  return accessOffers ?? { totalCount: 0, nodes: [] };
}
