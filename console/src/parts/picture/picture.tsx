import { ActionIcon, useComputedColorScheme } from '@mantine/core';
import { useEffect, useId, useRef, useState, type KeyboardEvent, type RefObject } from 'react';
import { Icon, type IconName } from '../icon.js';
import { texts } from '../../texts.js';
import type { Picture } from './draw.js';
import type { Lit, Scene } from './scene.js';

interface MapPictureProps {
  readonly scene: Scene;
  /** Names the picture for those who do not see it. */
  readonly label: string;
  readonly lit: Lit | undefined;
  readonly select: (key: string | undefined) => void;
  /** Holds the picture while it is on the page. */
  readonly picture: RefObject<Picture | undefined>;
}

const PAN = 0.1;

const KEYS: Readonly<Record<string, (picture: Picture) => void>> = {
  ArrowLeft: ({ pan }) => {
    pan(-PAN, 0);
  },
  ArrowRight: ({ pan }) => {
    pan(PAN, 0);
  },
  ArrowUp: ({ pan }) => {
    pan(0, -PAN);
  },
  ArrowDown: ({ pan }) => {
    pan(0, PAN);
  },
  '+': ({ zoom }) => {
    zoom('in');
  },
  '-': ({ zoom }) => {
    zoom('out');
  },
  '0': ({ fit }) => {
    fit();
  },
};

/** A network as a picture, by pointer and by keyboard. Tables have the same content. */
export function MapPicture(props: MapPictureProps) {
  const { label, picture } = props;
  const { canvas, state } = useDrawing(props);
  const [help, after] = [useId(), useRef<HTMLSpanElement>(null)];
  const move = (event: KeyboardEvent): void => {
    const call = KEYS[event.key];
    if (!call || !picture.current || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    call(picture.current);
  };
  return (
    <div className="map-picture">
      <button type="button" className="skip" onClick={() => after.current?.focus()}>
        {texts.map.skipPicture}
      </button>
      {state === 'unable' ? <div className="empty">{texts.map.noDrawing}</div> : null}
      <div
        ref={canvas}
        className="map-canvas"
        role="application"
        tabIndex={0}
        aria-label={label}
        aria-describedby={help}
        aria-busy={state === 'loading'}
        onKeyDown={move}
      />
      <span id={help} className="hidden">
        {texts.map.keys}
      </span>
      <ZoomButtons picture={picture} />
      <span ref={after} tabIndex={-1} />
    </div>
  );
}

function useDrawing({ scene, lit, select, picture }: MapPictureProps) {
  const canvas = useRef<HTMLDivElement>(null);
  const [state, setState] = useState<'loading' | 'drawn' | 'unable'>('loading');
  const latest = useRef({ scene, lit, select });
  latest.current = { scene, lit, select };
  const drawn = useRef<Scene>(undefined);
  useEffect(() => {
    let isWanted = true;
    void draw();
    return () => {
      isWanted = false;
      picture.current?.end();
      picture.current = undefined;
    };

    async function draw(): Promise<void> {
      const { drawPicture } = await import('./draw.js');
      if (!isWanted || !canvas.current) return;
      if (!hasWebGl()) {
        setState('unable');
        return;
      }
      drawn.current = latest.current.scene;
      picture.current = drawPicture(canvas.current, drawn.current, (key) => {
        latest.current.select(key);
      });
      picture.current.light(latest.current.lit);
      setState('drawn');
    }
  }, [picture]);
  useEffect(() => {
    if (!picture.current || drawn.current === scene) return;
    drawn.current = scene;
    picture.current.show(scene);
  }, [scene, picture]);
  useEffect(() => {
    picture.current?.light(lit);
  }, [lit, picture]);
  const scheme = useComputedColorScheme();
  useEffect(() => {
    picture.current?.recolor();
  }, [scheme, picture]);
  return { canvas, state };
}

let canDraw: boolean | undefined;

/** Asked once: a browser has few places for such drawings. */
function hasWebGl(): boolean {
  const canvas = document.createElement('canvas');
  canDraw ??= (canvas.getContext('webgl2') ?? canvas.getContext('webgl')) !== null;
  return canDraw;
}

function ZoomButtons({ picture }: { picture: RefObject<Picture | undefined> }) {
  const buttons: readonly (readonly [string, IconName, (picture: Picture) => void])[] = [
    [
      texts.map.zoomIn,
      'plus',
      ({ zoom }) => {
        zoom('in');
      },
    ],
    [
      texts.map.zoomOut,
      'minus',
      ({ zoom }) => {
        zoom('out');
      },
    ],
    [
      texts.map.fit,
      'fit',
      ({ fit }) => {
        fit();
      },
    ],
  ];
  return (
    <div className="map-zoom">
      {buttons.map(([label, icon, call]) => (
        <ActionIcon
          key={label}
          variant="default"
          aria-label={label}
          onClick={() => {
            if (picture.current) call(picture.current);
          }}
        >
          <Icon name={icon} />
        </ActionIcon>
      ))}
    </div>
  );
}
