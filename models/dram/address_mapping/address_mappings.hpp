#pragma once

#include "models/dram/address_mapping/page_interleaving.hpp"
#include "models/dram/address_mapping/policy.hpp"
#include "models/dram/address_mapping/pseudo_random.hpp"
#include "models/policy/choice.hpp"

namespace tcsim::dram {

template <AddressMapping... Mappings>
using AddressMappingsOf = policy::Choice<Mappings...>;

/// The address mappings of a channel, one line each; dram.address_mapping selects one by name.
using AddressMappings = AddressMappingsOf<PseudoRandom,   //
                                          RowBankColumn,  //
                                          BankPermutation>;

}  // namespace tcsim::dram
