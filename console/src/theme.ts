import { createTheme, type MantineColorsTuple } from '@mantine/core';
import { t } from './texts/t.ts';

/** Shade 6 has a contrast of 4.5:1 on white, shade 4 on the dark background. */
const harbour: MantineColorsTuple = [
  '#eef3ff',
  '#dbe4fb',
  '#b4c6f4',
  '#8aa5ee',
  '#6889e9',
  '#4f74e3',
  '#3a5fd0',
  '#2f50b8',
  '#28459f',
  '#1f3a87',
];

const night: MantineColorsTuple = [
  '#d3d8e0',
  '#b3bac5',
  '#8d96a4',
  '#636c7a',
  '#434b58',
  '#343b47',
  '#272d38',
  '#1c212a',
  '#14181f',
  '#0e1116',
];

const closeButtonProps = { 'aria-label': t('parts.notice.close') };

export const theme = createTheme({
  primaryColor: 'harbour',
  primaryShade: 6,
  colors: { harbour, dark: night },
  fontFamily: '"Inter Variable", system-ui, -apple-system, "Segoe UI", sans-serif',
  fontFamilyMonospace: 'ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace',
  headings: {
    fontWeight: '650',
    sizes: { h1: { fontSize: '1.5rem' }, h2: { fontSize: '1.125rem' }, h3: { fontSize: '1rem' } },
  },
  defaultRadius: 'md',
  radius: { lg: '12px' },
  cursorType: 'pointer',
  autoContrast: true,
  respectReducedMotion: true,
  components: {
    Tooltip: { defaultProps: { withArrow: true, openDelay: 300, multiline: true, maw: 320 } },
    ModalTitle: { defaultProps: { fw: 650, fz: 'lg', lh: 1.35 } },
    DrawerTitle: { defaultProps: { fw: 650, fz: 'lg', lh: 1.35 } },
    Modal: {
      defaultProps: {
        closeButtonProps,
        centered: true,
        radius: 'lg',
        // No blur: it makes dialogs slow without a GPU.
        overlayProps: { backgroundOpacity: 0.5 },
      },
    },
    Drawer: {
      defaultProps: { closeButtonProps, position: 'right', size: 'lg', overlayProps: { backgroundOpacity: 0.35 } },
    },
    Card: { defaultProps: { withBorder: true, radius: 'lg', padding: 'lg' } },
    Paper: { defaultProps: { radius: 'lg' } },
    Badge: { defaultProps: { variant: 'light', radius: 'sm', tt: 'none', fw: 550 } },
    // Focuses the first item; the default focus target is not allowed in role="menu".
    Menu: { defaultProps: { withInitialFocusPlaceholder: false } },
    ActionIcon: { defaultProps: { variant: 'subtle', color: 'gray' } },
    Table: { defaultProps: { verticalSpacing: 'sm', horizontalSpacing: 'md' } },
    Select: { defaultProps: { checkIconPosition: 'right', allowDeselect: false } },
  },
});
