import { Box, Checkbox, Group } from '@mantine/core';
import type { ScenarioOut } from '@/api/schema';
import { Section } from '@/components/Page';
import ui from '@/components/ui.module.css';
import classes from './ScenarioChoice.module.css';

interface ScenarioChoiceProps {
  scenarios: readonly ScenarioOut[];
  chosen: readonly string[];
  /** Number of frameworks that can run a scenario. */
  countAble: (scenario: ScenarioOut) => number;
  onToggle: (scenario: ScenarioOut) => void;
}

/** Lists the scenarios to tick. */
export function ScenarioChoice({ scenarios, chosen, countAble, onToggle }: ScenarioChoiceProps) {
  return (
    <Section
      title="1. Scenarios"
      hint="A scenario defines the work of the services for each request."
    >
      <ul className={classes.list}>
        {scenarios.map((scenario) => {
          const checked = chosen.includes(scenario.slug);
          const able = countAble(scenario);
          return (
            <li key={scenario.slug}>
              <label className={classes.scenario} data-checked={checked}>
                <Checkbox
                  pt={1}
                  aria-label={scenario.name}
                  checked={checked}
                  onChange={() => onToggle(scenario)}
                />
                <Box component="span" miw={0}>
                  <Group
                    component="span"
                    gap="0 12px"
                    align="baseline"
                    justify="space-between"
                    fw={500}
                  >
                    {scenario.name}
                    <span className={ui.small}>
                      {able} {able === 1 ? 'framework' : 'frameworks'}
                    </span>
                  </Group>
                  <span className={classes.description}>{scenario.description}</span>
                </Box>
              </label>
            </li>
          );
        })}
      </ul>
    </Section>
  );
}
