/** Tokens as a Mantine theme: one accent, neutral greys, radius 6, hairlines instead of shadows. */
import {
  type CheckboxProps,
  createTheme,
  type CSSVariablesResolver,
  defaultVariantColorsResolver,
  type InputWrapperProps,
  type MantineColorsTuple,
  type TooltipProps,
  type VariantColorsResolver,
  rem,
  Button,
  ActionIcon,
} from '@mantine/core';
import { MONO, SANS } from '@/lib/fonts';
import { cssVariables, PALETTES } from '@/lib/tokens';

const accent: MantineColorsTuple = [
  '#e8f0fd',
  '#d0dffb',
  '#b0caf8',
  '#82aaff',
  '#5f8fef',
  '#3c76e2',
  PALETTES.light.accent,
  '#184eb0',
  '#143f8e',
  '#0e2d66',
];

const { dark: night } = PALETTES;

/** Mantine's greys of the dark scheme, replaced by ours. */
const dark: MantineColorsTuple = [
  night.ink,
  night.inkMuted,
  night.inkFaint,
  night.lineStrong,
  night.lineStrong,
  night.line,
  night.raised,
  night.background,
  night.surface,
  night.background,
];

/** Colours actions with the accent, readable in both themes. */
const resolveVariant: VariantColorsResolver = (input) => {
  const resolved = defaultVariantColorsResolver(input);
  // Buttons that delete. The colour of errors is light on the dark theme, so its text is dark there.
  if (input.variant === 'filled' && input.color === 'red') {
    return {
      ...resolved,
      background: 'var(--tacho-bad)',
      hover: 'color-mix(in srgb, var(--tacho-bad) 88%, var(--tacho-ink))',
      color: 'var(--mantine-color-body)',
    };
  }
  if (input.color !== undefined && input.color !== 'accent') return resolved;
  if (input.variant === 'filled') {
    return {
      ...resolved,
      background: 'var(--tacho-accent)',
      hover: 'color-mix(in srgb, var(--tacho-accent) 88%, var(--tacho-ink))',
      color: 'var(--tacho-accent-ink)',
    };
  }
  if (input.variant === 'subtle') {
    return { ...resolved, color: 'var(--tacho-accent)', hover: 'var(--tacho-accent-soft)' };
  }
  return resolved;
};

const DESCRIPTION = { '--input-description-size': 'var(--mantine-font-size-sm)' };
const ERROR = { '--input-error-size': 'var(--mantine-font-size-sm)' };

export const theme = createTheme({
  variantColorResolver: resolveVariant,
  primaryColor: 'accent',
  primaryShade: { light: 6, dark: 3 },
  colors: { accent, dark },
  fontFamily: SANS,
  fontFamilyMonospace: MONO,
  defaultRadius: 6,
  cursorType: 'pointer',
  fontSizes: { xs: rem(12), sm: rem(14), md: rem(14), lg: rem(16), xl: rem(20) },
  spacing: { xs: rem(8), sm: rem(12), md: rem(16), lg: rem(24), xl: rem(32) },
  breakpoints: { xs: '30em', sm: '48em', md: '62em', lg: '75em', xl: '88em' },
  headings: {
    fontFamily: SANS,
    fontWeight: '600',
    sizes: {
      h1: { fontSize: rem(28), lineHeight: '1.25' },
      h2: { fontSize: rem(16), lineHeight: '1.4' },
      h3: { fontSize: rem(14), lineHeight: '1.4' },
    },
  },
  components: {
    // The close button of every dialog.
    CloseButton: { defaultProps: { 'aria-label': 'Close' } },
    // The `header` of a dialog or drawer would be a second banner of the page.
    ModalHeader: { defaultProps: { component: 'div' } },
    DrawerHeader: { defaultProps: { component: 'div' } },
    // As objects: `extend` would import components that many pages do not use.
    Checkbox: {
      defaultProps: { iconColor: 'var(--tacho-accent-ink)' } satisfies Partial<CheckboxProps>,
    },
    InputWrapper: {
      defaultProps: {
        inputWrapperOrder: ['label', 'input', 'error', 'description'],
      } satisfies Partial<InputWrapperProps>,
      vars: () => ({ description: DESCRIPTION, error: ERROR }),
    },
    // Explanations have the size of other text. Mantine makes them smaller.
    InputDescription: { vars: () => ({ description: DESCRIPTION }) },
    InputError: { vars: () => ({ error: ERROR }) },
    Button: Button.extend({ defaultProps: { size: 'sm' } }),
    ActionIcon: ActionIcon.extend({ defaultProps: { variant: 'subtle', color: 'gray' } }),
    Tooltip: {
      defaultProps: {
        withArrow: true,
        events: { hover: true, focus: true, touch: true },
        openDelay: 250,
        multiline: true,
        maw: 320,
      } satisfies Partial<TooltipProps>,
    },
  },
});

function mantineVariables(scheme: 'light' | 'dark'): Record<string, string> {
  const p = PALETTES[scheme];
  return {
    ...cssVariables(scheme),
    '--mantine-color-body': p.background,
    '--mantine-color-text': p.ink,
    '--mantine-color-dimmed': p.inkMuted,
    '--mantine-color-placeholder': p.inkFaint,
    '--mantine-color-anchor': p.accent,
    '--mantine-color-default': p.raised,
    '--mantine-color-default-hover': p.surface,
    '--mantine-color-default-border': p.lineStrong,
    '--mantine-color-default-color': p.ink,
    '--mantine-color-error': p.bad,
  };
}

export const variables: CSSVariablesResolver = () => ({
  variables: {},
  light: mantineVariables('light'),
  dark: mantineVariables('dark'),
});
