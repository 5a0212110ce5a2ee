import { createTheme, type CSSVariablesResolver, type MantineColorsTuple } from '@mantine/core';
import { texts } from '../texts.js';

/** From the lightest to the darkest; 7 on white and 4 on the dark ground have enough contrast. */
const petrol: MantineColorsTuple = [
  '#e8f5f6',
  '#d2eaec',
  '#a6d5d9',
  '#76c0c6',
  '#4fb0b8',
  '#2f9aa3',
  '#1c8790',
  '#0c6b74',
  '#08575e',
  '#044249',
];

/** As that of Mantine, but for the last three: white on them has enough contrast. */
const red: MantineColorsTuple = [
  '#fff5f5',
  '#ffe3e3',
  '#ffc9c9',
  '#ffa8a8',
  '#ff8787',
  '#ff6b6b',
  '#fa5252',
  '#b42318',
  '#96190f',
  '#78120a',
];

const dark: MantineColorsTuple = [
  '#d6dde4',
  '#b3bdc7',
  '#98a3af',
  '#6b7682',
  '#434c56',
  '#323a43',
  '#262d35',
  '#191f26',
  '#12171d',
  '#0c1014',
];

export const theme = createTheme({
  colors: { petrol, red, dark },
  primaryColor: 'petrol',
  primaryShade: { light: 7, dark: 7 },
  defaultRadius: 'sm',
  cursorType: 'pointer',
  respectReducedMotion: true,
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
  fontSizes: { xs: '0.75rem', sm: '0.8125rem', md: '0.875rem', lg: '1rem', xl: '1.125rem' },
  headings: {
    fontWeight: '600',
    sizes: {
      h1: { fontSize: '1.25rem', lineHeight: '1.4' },
      h2: { fontSize: '1rem', lineHeight: '1.4' },
      h3: { fontSize: '0.875rem', lineHeight: '1.4' },
    },
  },
  components: {
    Button: { defaultProps: { size: 'xs' } },
    TextInput: { defaultProps: { size: 'xs' } },
    PasswordInput: { defaultProps: { size: 'xs' } },
    NumberInput: { defaultProps: { size: 'xs' } },
    Textarea: { defaultProps: { size: 'xs' } },
    JsonInput: { defaultProps: { size: 'xs' } },
    Select: { defaultProps: { size: 'xs' } },
    MultiSelect: { defaultProps: { size: 'xs' } },
    TagsInput: { defaultProps: { size: 'xs' } },
    PillsInput: { defaultProps: { size: 'xs' } },
    Autocomplete: { defaultProps: { size: 'xs' } },
    Checkbox: { defaultProps: { size: 'xs' } },
    SegmentedControl: { defaultProps: { size: 'xs' } },
    Modal: {
      defaultProps: {
        centered: true,
        overlayProps: { backgroundOpacity: 0.45 },
        closeButtonProps: { 'aria-label': texts.close },
        // It is no head of the page.
        attributes: { header: { role: 'presentation' } },
      },
    },
    Tooltip: { defaultProps: { openDelay: 400, withArrow: true } },
  },
});

/** The colours of texts that the theme makes too pale to be read by all (WCAG 2.2, 1.4.3). */
export const readableColors: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': '#55606b',
    '--mantine-color-placeholder': '#66717c',
    '--mantine-color-error': '#b42318',
    '--mantine-color-anchor': '#0c6b74',
    '--mantine-color-text': '#1b232b',
  },
  dark: {
    '--mantine-color-dimmed': '#a3aeb9',
    '--mantine-color-placeholder': '#98a3af',
    '--mantine-color-error': '#ff9a8f',
    '--mantine-color-anchor': '#6cc4cb',
    '--mantine-color-text': '#d6dde4',
  },
});
