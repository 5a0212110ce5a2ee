import { Button, Menu } from '@mantine/core';
import type { RefObject } from 'react';
import { Icon } from '../../parts/icon.js';
import { saveFile } from '../../parts/save-file.js';
import { texts } from '../../texts.js';
import type { Picture } from '../../parts/picture/draw.js';
import { edgesCsv, nodesCsv } from './map-csv.js';
import type { MapGraph } from './map-graph.js';
import { svgOf } from './map-svg.js';
import { readPalette } from '../../parts/picture/palette.js';
import type { Lit, Scene } from '../../parts/picture/scene.js';

interface ExportMenuProps {
  readonly graph: MapGraph;
  readonly scene: Scene | undefined;
  readonly lit: Lit | undefined;
  readonly picture: RefObject<Picture | undefined>;
  /** Whether the picture is on the page: it alone can be saved as it is. */
  readonly isPicture: boolean;
}

/** Saves the map as files. */
export function ExportMenu({ graph, scene, lit, picture, isPicture }: ExportMenuProps) {
  const savePng = (): void => {
    void picture.current?.toPng().then((png) => {
      if (png) saveFile('map.png', png);
    });
  };
  const saveSvg = (): void => {
    if (!scene) return;
    const palette = readPalette(document.body);
    const svg = svgOf({ scene, palette, lit, title: texts.pages.map });
    saveFile('map.svg', new Blob([svg], { type: 'image/svg+xml' }));
  };
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" leftSection={<Icon name="save" size={14} />}>
          {texts.map.export}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item disabled={!isPicture} onClick={savePng}>
          {texts.map.exports.png}
        </Menu.Item>
        <Menu.Item onClick={saveSvg}>{texts.map.exports.svg}</Menu.Item>
        <Menu.Item
          onClick={() => {
            saveFile('map-nodes.csv', nodesCsv(graph.map));
          }}
        >
          {texts.map.exports.nodes}
        </Menu.Item>
        <Menu.Item
          onClick={() => {
            saveFile('map-edges.csv', edgesCsv(graph));
          }}
        >
          {texts.map.exports.edges}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
