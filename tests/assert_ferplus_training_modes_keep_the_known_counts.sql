-- What the FERPlus training code keeps of fer2013new.csv, counted from its rules: the one published file is the
-- only one these hold for, so an unverified file is left out. Returns the modes that keep another number.
with

known as (

    select 'majority' as mode, 25060 as training, 3199 as public_test, 3153 as private_test
    union all
    select 'probability' as mode, 27956 as training, 3505 as public_test, 3505 as private_test
    union all
    select 'crossentropy' as mode, 27956 as training, 3505 as public_test, 3505 as private_test
    union all
    select 'multi_target' as mode, 27671 as training, 3472 as public_test, 3472 as private_test

)

select
    modes.dataset_id,
    modes.mode,
    modes.images_kept
from {{ ref('dissent', 'ferplus_training_modes') }} as modes
left join known
    on modes.mode = known.mode
where
    modes.provenance = 'verified'
    and modes.images_kept is distinct from case modes.dataset_id
        when 'ferplus_training' then known.training
        when 'ferplus_public_test' then known.public_test
        when 'ferplus' then known.private_test
    end
