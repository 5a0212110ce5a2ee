import { ActionIcon, Button } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { wordsOf } from '../../description/names.js';
import { useSession } from '../../graph/session.js';
import { FailureNotice } from '../../parts/failure-notice.js';
import { Icon, type IconName } from '../../parts/icon.js';
import { Instant } from '../../parts/instant.js';
import { texts } from '../../texts.js';
import type { MapSearch } from '../../addresses/map-search.js';
import { stepAt, type TimeStep } from './time-steps.js';
import { useTimeSteps } from './use-time-steps.js';

interface TimeSliderProps {
  readonly search: MapSearch;
  readonly change: (changed: MapSearch) => void;
  /** Whether the map of the step is not on the page yet. */
  readonly isLoading: boolean;
  readonly isBroken: boolean;
  /** Grows when the map is read again. */
  readonly round: number;
}

/** Goes through the change log: each step is a change after which the map can differ. */
export function TimeSlider(props: TimeSliderProps) {
  const { time, failure } = useTimeSteps(props.round);
  return (
    <section className="panel map-time" aria-label={texts.map.time}>
      <FailureNotice failure={failure} />
      {time ? (
        <Player {...props} steps={time.steps} isWhole={time.isWhole} />
      ) : (
        <span className="dim">{texts.loading}</span>
      )}
    </section>
  );
}

interface PlayerProps extends TimeSliderProps {
  readonly steps: readonly TimeStep[];
  readonly isWhole: boolean;
}

/** A play has at most so many pictures. */
const MAX_PLAYED = 60;
/** A picture stays for so long. */
const PAUSE_MS = 1_200;
/** A slider that moves on within this time asks for no picture. */
const REST_MS = 150;

function Player({ search, change, isLoading, isBroken, steps, isWhole }: PlayerProps) {
  const { stage } = useSession();
  const last = steps.length - 1;
  const shown = search.at === undefined ? last : (stepAt(steps, search.at) ?? 0);
  // The last step is the present.
  const goTo = (step: number): void => {
    const bounded = Math.min(Math.max(step, 0), last);
    change({ at: bounded >= last ? undefined : steps[bounded]?.id });
  };
  const [isPlaying, setPlaying] = usePlaying({
    step: shown,
    // Nothing is asked for while the session has ended.
    isReady: !isLoading && stage === 'open',
    canGoOn: shown < last && !isBroken,
    next: () => {
      goTo(shown + Math.ceil(steps.length / MAX_PLAYED));
    },
  });
  const [wanted, drag] = useDragged(shown, goTo);
  if (last < 1) return <span className="dim">{texts.map.noSteps}</span>;
  return (
    <>
      <div className="row">
        <Buttons
          shown={shown}
          last={last}
          goTo={goTo}
          isPlaying={isPlaying}
          setPlaying={setPlaying}
        />
        <Slider
          steps={steps}
          step={wanted}
          goTo={(step) => {
            setPlaying(false);
            drag(step);
          }}
        />
      </div>
      <StepWords steps={steps} step={wanted} />
      {isWhole ? null : <div className="dim">{texts.map.laterSteps}</div>}
    </>
  );
}

interface ButtonsProps {
  readonly shown: number;
  readonly last: number;
  readonly goTo: (step: number) => void;
  readonly isPlaying: boolean;
  readonly setPlaying: (isPlaying: boolean) => void;
}

function Buttons({ shown, last, goTo, isPlaying, setPlaying }: ButtonsProps) {
  const move = (step: number): void => {
    setPlaying(false);
    goTo(step);
  };
  return (
    <>
      <TimeButton
        label={texts.map.stepBack}
        icon="back"
        isOff={shown <= 0}
        press={() => {
          move(shown - 1);
        }}
      />
      <Button
        variant="default"
        onClick={() => {
          if (!isPlaying && shown >= last) goTo(0);
          setPlaying(!isPlaying);
        }}
      >
        {isPlaying ? texts.map.pause : texts.map.play}
      </Button>
      <TimeButton
        label={texts.map.stepForward}
        icon="forward"
        isOff={shown >= last}
        press={() => {
          move(shown + 1);
        }}
      />
    </>
  );
}

interface Play {
  readonly step: number;
  readonly isReady: boolean;
  readonly canGoOn: boolean;
  readonly next: () => void;
}

/** Goes on some time after the picture of the present step has come. */
function usePlaying({ step, isReady, canGoOn, next }: Play) {
  const [state, setState] = useState<'paused' | 'begun' | 'going'>('paused');
  const latest = useRef(next);
  latest.current = next;
  useEffect(() => {
    if (state === 'paused' || !isReady) return undefined;
    if (!canGoOn) {
      // The way back to the first step takes a moment.
      if (state === 'going') setState('paused');
      return undefined;
    }
    setState('going');
    const timer = setTimeout(() => {
      latest.current();
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
    };
  }, [state, isReady, canGoOn, step]);
  const setPlaying = (isPlaying: boolean): void => {
    setState(isPlaying ? 'begun' : 'paused');
  };
  return [state !== 'paused', setPlaying] as const;
}

/** The place of the slider while it is moved, and the shown one afterwards. */
function useDragged(shown: number, goTo: (step: number) => void) {
  const [dragged, drag] = useState<number>();
  const latest = useRef(goTo);
  latest.current = goTo;
  useEffect(() => {
    if (dragged === undefined) return undefined;
    if (dragged === shown) {
      drag(undefined);
      return undefined;
    }
    const timer = setTimeout(() => {
      latest.current(dragged);
    }, REST_MS);
    return () => {
      clearTimeout(timer);
    };
  }, [dragged, shown]);
  return [dragged ?? shown, drag] as const;
}

interface TimeButtonProps {
  readonly label: string;
  readonly icon: IconName;
  readonly isOff: boolean;
  readonly press: () => void;
}

function TimeButton({ label, icon, isOff, press }: TimeButtonProps) {
  return (
    <ActionIcon
      variant="default"
      size="lg"
      aria-label={label}
      // It keeps the focus at the ends of the slider.
      aria-disabled={isOff}
      {...(isOff ? { 'data-disabled': true } : {})}
      onClick={isOff ? undefined : press}
    >
      <Icon name={icon} />
    </ActionIcon>
  );
}

interface StepProps {
  readonly steps: readonly TimeStep[];
  readonly step: number;
}

function Slider({ steps, step, goTo }: StepProps & { readonly goTo: (step: number) => void }) {
  const at = steps[step];
  return (
    <input
      type="range"
      className="grow"
      aria-label={texts.map.time}
      aria-valuetext={at ? `${new Date(at.at).toLocaleString()}: ${wordsOfStep(at)}` : undefined}
      min={0}
      max={steps.length - 1}
      step={1}
      value={step}
      onChange={(event) => {
        goTo(Number(event.currentTarget.value));
      }}
    />
  );
}

/** The change after which the shown map is, in words. */
function StepWords({ steps, step }: StepProps) {
  const at = steps[step];
  if (!at) return null;
  return (
    <div>
      {texts.map.stepOf(step + 1, steps.length)} <Instant at={at.at} />: {wordsOfStep(at)}
      {step === steps.length - 1 ? ` ${texts.map.isNow}` : ''}
    </div>
  );
}

const wordsOfStep = ({ change: { operation, type, entityName }, changeCount }: TimeStep): string =>
  texts.map.step(wordsOf(operation), wordsOf(type).toLowerCase(), entityName, changeCount - 1);
