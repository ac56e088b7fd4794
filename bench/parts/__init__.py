"""The parts of `./dev bench`, in the order in which they run. Each is a module with a TITLE, a NOTE and
`measure(bed)`, which returns {'rows': [...], 'tables': [...], ...}: rows are figures with their target."""
NAMES = ('peers', 'cost', 'broker', 'shards', 'growth', 'erasure', 'active',
         'rewind', 'rewind_accuracy', 'rewind_broker', 'learners', 'mnist')
